"""`python -m siteplan_gis`."""

from siteplan_gis.cli import main

if __name__ == "__main__":
    main()
