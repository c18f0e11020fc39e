"""Transactions wait for one another as long as somebody gets through, and no longer."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from filelock import FileLock
from sqlalchemy import NullPool, create_engine, insert

from participants.registry import Registry, database, tables, waiting
from stimuli.errors import UserError


def lock_of(url):
    return url.removeprefix("sqlite:///").replace("registry.sqlite", ".registry.sqlite.lock")


@pytest.fixture
def turn(registry, url):
    """Let another process be the next to use the registry's file."""
    with FileLock(lock_of(url)) as lock:
        yield lock


def test_who_waits_for_a_turn_waits_on_while_others_write(registry, turn, monkeypatch):
    looked = []

    def changed(_file):
        looked.append(len(looked))
        if len(looked) == 5:
            turn.release()
        return len(looked)

    monkeypatch.setattr(waiting, "BUSY_TIMEOUT_S", 0.0)
    monkeypatch.setattr(waiting, "_changed_ns", changed)
    code = registry.enrol("expert")
    assert len(looked) == 5
    assert registry.person(code).code == code


def test_a_process_that_stands_still_at_its_turn_holds_nobody_up(registry, turn, monkeypatch):
    monkeypatch.setattr(waiting, "BUSY_TIMEOUT_S", 0.0)
    code = registry.enrol("expert")
    assert registry.person(code).code == code
    assert turn.is_locked


def test_who_begins_a_transaction_leaves_the_turn_to_the_next(registry, url):
    def work(connection):
        with FileLock(lock_of(url), timeout=0):
            return connection.exec_driver_sql("SELECT 1").scalar()

    assert registry.transact(work) == 1


@pytest.fixture
def minutes(monkeypatch):
    """Let a pause last for 50 s of a clock that stands still otherwise; call what waits for it."""
    clock = SimpleNamespace(now_s=0.0, pauses=0, then=lambda: None)

    def sleep(_pause_s):
        clock.now_s += 50.0
        clock.pauses += 1
        clock.then()

    monkeypatch.setattr(
        waiting, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: clock.now_s)
    )
    return clock


@pytest.fixture
def holder(server, monkeypatch):
    """Return a registry's URL, and another program that keeps it to itself from time to time."""
    options = database.SERVER_OPTIONS["options"].replace("lock_timeout=20s", "lock_timeout=1ms")
    monkeypatch.setattr(database, "SERVER_OPTIONS", {"options": options})
    url = server.database()
    Registry.open(url).close()
    engine = create_engine(url, poolclass=NullPool)
    with closing(engine.connect()) as connection:

        def lock():
            connection.exec_driver_sql(f"LOCK TABLE {database.LOCKED_TABLE} IN EXCLUSIVE MODE")

        def write(key):
            connection.execute(insert(tables.meta).values(key=key, value=""))
            # Otherwise the server counts it a second later.
            connection.exec_driver_sql("SELECT pg_stat_force_next_flush()")
            connection.commit()

        yield url, SimpleNamespace(lock=lock, write=write, leave=connection.rollback)


def test_who_waits_for_a_server_waits_on_while_others_write(holder, minutes):
    url, other = holder

    def write_again():
        other.write(f"pause {minutes.pauses}")
        if minutes.pauses < 4:
            other.lock()

    minutes.then = write_again
    with closing(Registry.open(url)) as registry:
        other.lock()
        code = registry.enrol("expert")
        assert minutes.now_s > 3 * waiting.BUSY_TIMEOUT_S
        assert registry.person(code).code == code


def test_a_server_that_another_program_keeps_to_itself_is_one_clear_line(holder, minutes):
    url, other = holder
    with closing(Registry.open(url)) as registry:
        other.lock()
        with pytest.raises(UserError, match="lock timeout; other PCs write to it too; try again"):
            registry.enrol("expert")
        assert waiting.BUSY_TIMEOUT_S < minutes.now_s < 3 * waiting.BUSY_TIMEOUT_S
        other.leave()
        assert registry.list() == ()


SLOW_STATEMENT = ("SET LOCAL statement_timeout = '1ms'", "SELECT pg_sleep(60)")
SLOW_PROCESS = ("SET LOCAL idle_in_transaction_session_timeout = '1ms'",)


@pytest.mark.parametrize("statements", [SLOW_STATEMENT, SLOW_PROCESS])
def test_a_transaction_that_a_busy_machine_held_up_is_repeated(server, minutes, statements):
    url, calls = server.database(), []
    watching = create_engine(url, isolation_level="AUTOCOMMIT")

    def alive(process):
        query = f"SELECT count(*) FROM pg_stat_activity WHERE pid = {process}"
        with watching.connect() as connection:
            return connection.exec_driver_sql(query).scalar()

    def work(connection):
        calls.append(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar())
        if len(calls) < 2:
            for statement in statements:
                connection.exec_driver_sql(statement)
            while alive(calls[-1]):
                pass
        return connection.exec_driver_sql("SELECT 7").scalar()

    with closing(Registry.open(url)) as registry:
        assert registry.transact(work) == 7
    watching.dispose()
    assert len(calls) == 2
