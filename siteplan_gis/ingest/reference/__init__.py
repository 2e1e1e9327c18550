"""Reference layers around a site: the catalogue, their codes, municipal limits, parcels."""
