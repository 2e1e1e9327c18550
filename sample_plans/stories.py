"""All stories: which plan, what is changed in it, and what a careful reader of map and ordinance expects of it."""

from __future__ import annotations

from typing import Final

from east_troy_stories import EAST_TROY_STORIES
from fairwater_stories import FAIRWATER_STORIES
from office_stories import OFFICE_STORIES
from saukville_stories import SAUKVILLE_STORIES

STORIES: Final = (*SAUKVILLE_STORIES, *FAIRWATER_STORIES, *EAST_TROY_STORIES, *OFFICE_STORIES)
