"""Run by the Python that has QGIS: opens a GeoPackage's project and each layer alone, and tells what it sees."""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    from qgis.core import (
        QgsApplication,
        QgsMapRendererSequentialJob,
        QgsMapSettings,
        QgsProject,
        QgsRectangle,
        QgsRenderContext,
        QgsVectorLayer,
    )
    from qgis.PyQt.QtCore import QSize

    package, picture = sys.argv[1:]
    application = QgsApplication([], False)
    application.initQgis()
    project = QgsProject.instance()
    told = {"opened": project.read(f"geopackage:{package}?projectName=review"), "title": project.title(), "layers": []}
    told["crs"] = project.crs().authid()
    told["order"] = [each.name() for each in project.layerTreeRoot().findLayers()]
    for _, layer in sorted(project.mapLayers().items()):
        name = layer.source().rpartition("=")[2]
        alone = QgsVectorLayer(f"{package}|layername={name}", name, "ogr")
        alone.loadDefaultStyle()
        told["layers"].append(
            {
                "name": name,
                "valid": layer.isValid(),
                "features": layer.featureCount(),
                "crs": layer.crs().authid(),
                "renderer": layer.renderer().type(),
                "alone": alone.renderer().type(),
                "colours": [symbol.color().name() for symbol in layer.renderer().symbols(QgsRenderContext())],
                "colours_alone": [symbol.color().name() for symbol in alone.renderer().symbols(QgsRenderContext())],
            }
        )
    settings = QgsMapSettings()
    settings.setLayers([each.layer() for each in project.layerTreeRoot().findLayers() if each.isVisible()])
    settings.setOutputSize(QSize(900, 900))
    site = next(layer for layer in project.mapLayers().values() if layer.name() == "site")
    settings.setDestinationCrs(site.crs())
    box = QgsRectangle(site.extent())
    box.scale(2.0)
    settings.setExtent(box)
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    image.save(picture)
    told["inked"] = sum(image.pixelColor(x, y).name() != "#ffffff" for x in range(0, 900, 9) for y in range(0, 900, 9))
    sys.stdout.write(json.dumps(told))
    sys.stdout.flush()
    # Layers that still live would crash the library's own end.
    os._exit(0)


if __name__ == "__main__":
    main()
