"""Work is done whole however many threads the machine grants, and nobody waits for one that never came to life."""

import _thread
import threading

import pytest

from siteplan_gis.measures.threads import in_threads


def test_as_many_work_at_once_as_were_asked_for():
    meeting = threading.Barrier(3, timeout=20)
    assert in_threads(lambda number: (meeting.wait(), number)[1], 3, 3) == [0, 1, 2]


def _refused(function, given):
    message = "can't start new thread"
    raise RuntimeError(message)


@pytest.mark.parametrize("start", [_refused, lambda function, given: 1], ids=["refused", "dead before it lives"])
def test_who_asks_works_alone_where_no_thread_comes(monkeypatch, start):
    monkeypatch.setattr(_thread, "start_new_thread", start)
    own = threading.get_ident()
    assert in_threads(lambda number: (number, threading.get_ident()), 5, 4) == [(number, own) for number in range(5)]


def test_the_failure_of_the_lowest_number_is_told_and_nothing_more_is_begun():
    begun = []

    def work(number):
        begun.append(number)
        if number >= 3:
            raise ValueError(number)

    with pytest.raises(ValueError, match="3"):
        in_threads(work, 1000, 2)
    assert len(begun) <= 5


def test_nothing_is_begun_where_there_is_nothing_to_do():
    assert in_threads(str, 0, 2) == []
