"""CAD drawings (DXF): the model space, the sheets, the unit and the place."""
