"""Rows of a table that an expression chooses."""

import numpy as np
import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.selecting import Condition, chosen, conditions

COLUMNS = {
    "TYPE": np.array(["Row", "LOT", None, "lot ", "Smith, J", "Tom AND Co"], dtype=object),
    "ACRES": np.array([1.0, 5.0, np.nan, 5.0000001, 4.9999999, 100.0]),
    "TEXT_ACRES": np.array(["1", "5.0", "", "1,200", "n/a", "20"], dtype=object),
    "PIN": np.array(["12", "012", "12.0", "12 ", None, "x"], dtype=object),
    "COUNT": np.array([1, 2, 3, 12, 5, 6]),
}


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("TYPE=lot", [1, 3]),
        ("TYPE = 'LOT'", [1, 3]),
        ("TYPE=row,LOT", [0, 1, 3]),
        ("TYPE!=ROW", [1, 2, 3, 4, 5]),
        ("TYPE <> 'ROW'", [1, 2, 3, 4, 5]),
        ("TYPE IN ('row', 'smith, j')", [0, 4]),
        ("TYPE NOT IN ('row', 'smith, j')", [1, 2, 3, 5]),
        ("TYPE in (lot)", [1, 3]),
        ("TYPE = 'tom and co'", [5]),
        ("TYPE IS NULL", [2]),
        ("TYPE is not null AND ACRES > 5", [3, 5]),
        ("TYPE=", [2]),
        ("ACRES >= 5", [1, 3, 5]),
        ("ACRES > 5", [3, 5]),
        ("ACRES < 5", [0, 4]),
        ("ACRES <= 5", [0, 1, 4]),
        ("ACRES = 5", [1]),
        ("ACRES = 5.00", [1]),
        ("ACRES IS NULL", [2]),
        ("ACRES != 5", [0, 2, 3, 4, 5]),
        ("TEXT_ACRES > 5", [3, 5]),
        ("TEXT_ACRES >= '1,200'", [3]),
        ("TYPE = none", []),
        ("PIN = 12", [0, 3]),
        ("PIN = 012", [1]),
        ("COUNT = 12.0", [3]),
        ("COUNT in (1, 2) and [TYPE] = row", [0]),
        ('"COUNT" >= 2 AND COUNT < 5 AND TYPE=LOT', [1]),
    ],
)
def test_rows_chosen(where, rows):
    asked = conditions(where)
    assert np.flatnonzero(chosen(asked, {one.field: COLUMNS[one.field] for one in asked}, "x")).tolist() == rows


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("TYPE", "'TYPE' is not understood"),
        ("=5", "is not understood"),
        ("TYPE=a AND", "'' is not understood"),
        ("TYPE=Smith and Sons", "'Sons' is not understood"),
        ("TYPE=a OR TYPE=b", "OR is not read"),
        ("TYPE like 'a%'", "LIKE is not read"),
        ("ACRES between 1 and 2", "BETWEEN is not read"),
        ("ACRES > big", "compares with one number"),
        ("ACRES > 1, 2", "compares with one number"),
        ("ACRES > nan", "compares with one number"),
    ],
)
def test_what_is_not_understood_is_refused(where, words):
    with pytest.raises(InputError, match=words):
        conditions(where)


def test_an_order_of_what_is_no_number():
    with pytest.raises(InputError, match="holds no numbers"):
        chosen(conditions("TYPE > 5"), {"TYPE": COLUMNS["TYPE"][:2]}, "x")
    assert conditions("OWNER = 'O''Neil or Sons'") == (Condition("OWNER", "=", ("O'Neil or Sons",)),)
    assert conditions("  ") == ()
