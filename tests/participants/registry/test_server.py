"""A PostgreSQL server: what is wrong with it is one line, refused transactions are repeated."""

import os
import signal
from contextlib import closing
from itertools import count
from threading import Thread
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, insert, select, update

from participants.registry import Registry, database, tables, waiting
from stimuli.errors import UserError
from tests.participants.registry.postgres import PASSWORD, USER


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"database": "nowhere"}, r"does not exist; make the database first: createdb"),
        ({"password": ""}, r"doesn't let this user in: see user and password file"),
        ({"user": "stranger"}, r"doesn't let this user in: see user and password file"),
    ],
)
def test_a_wrong_line_in_lab_toml_is_one_clear_line(server, wrong, said):
    with pytest.raises(UserError, match=said) as error:
        Registry.open(server.url(**{"database": "postgres", **wrong}))
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_the_password_may_lie_in_a_file(server, tmp_path, monkeypatch):
    url = server.database()
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:{server.port}:*:{USER}:{PASSWORD}\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    with closing(Registry.open(server.url(url.rpartition("/")[2], password=""))) as registry:
        assert registry.list() == ()


def test_a_server_that_is_away_is_one_clear_line(server):
    url = server.database().replace(str(server.port), "9")
    with pytest.raises(UserError, match="see that the server runs and that this PC reaches it"):
        Registry.open(url)


@pytest.mark.parametrize("begin", ["postgresql", "postgresql+psycopg2"])
def test_any_url_of_a_server_takes_the_driver_that_is_there(server, begin):
    url = server.database().replace("postgresql+psycopg", begin)
    with closing(Registry.open(url)) as registry:
        assert registry.list() == ()


def test_a_server_that_came_back_is_used_again(server):
    with closing(Registry.open(server.database())) as registry:
        code = registry.enrol("expert")
        server.stop()
        try:
            with pytest.raises(UserError, match="registry postgresql"):
                registry.person(code)
        finally:
            server.start()
        assert registry.person(code).code == code


@pytest.mark.skipif(os.name != "posix", reason="stops a process")
def test_a_server_that_hangs_holds_nobody_up_for_ever(server, monkeypatch):
    """Its system still answers for it: neither the network nor a time limit of its own helps."""
    # Long enough for a busy machine to connect anew, and shorter than a person would wait.
    monkeypatch.setattr(database, "ANSWER_S", 5.0)
    with closing(Registry.open(server.database())) as registry:
        code = registry.enrol("expert")
        worker = registry.transact(
            lambda connection: connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        )
        os.kill(worker, signal.SIGSTOP)
        try:
            # The connection is renewed once.
            assert registry.person(code).code == code
        finally:
            os.kill(worker, signal.SIGCONT)


def test_processes_that_open_a_new_registry_at_once_make_its_tables_once(server):
    url, opened = server.database(), []
    threads = [Thread(target=lambda: opened.append(Registry.open(url))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = {registry.enrol("expert") for registry in opened}
    assert len(codes) == len(threads)
    for registry in opened:
        registry.close()


def rows(connection):
    return connection.execute(select(tables.meta)).all()


def set_value(key, value):
    return update(tables.meta).where(tables.meta.c.key == key).values(value=value)


@pytest.fixture
def rivals(server):
    """Return an engine of the suite's, and another program's; a row that both write."""
    url = server.database()
    engine = database.connect(url)
    new = insert(tables.meta).values(key="both", value="0")
    database.transact(engine, lambda connection: connection.execute(new))
    # It doesn't queue up.
    rival = create_engine(url, isolation_level="SERIALIZABLE")
    yield engine, rival
    engine.dispose()
    rival.dispose()


def test_a_transaction_that_is_refused_is_repeated_whole(rivals, monkeypatch):
    engine, rival = rivals
    monkeypatch.setattr(database, "LOCKED_TABLE", "exports")
    calls = []

    def work(connection):
        calls.append({row.key: row.value for row in rows(connection)}["both"])
        if len(calls) < 3:
            with rival.begin() as other:
                other.execute(set_value("both", str(len(calls))))
        connection.execute(set_value("both", f"own, after {calls[-1]}"))
        return len(calls)

    assert database.transact(engine, work) == 3
    assert calls == ["0", "1", "2"]
    with rival.connect() as connection:
        assert ("both", "own, after 2") in rows(connection)


def test_a_transaction_that_is_refused_for_ever_is_one_clear_line(rivals, monkeypatch):
    engine, rival = rivals
    monkeypatch.setattr(database, "LOCKED_TABLE", "exports")
    # By its own clock, on which each look takes a quarter of the patience.
    looks = count(step=waiting.BUSY_TIMEOUT_S / 4)
    clock = SimpleNamespace(monotonic=looks.__next__, sleep=lambda _: None)
    monkeypatch.setattr(waiting, "time", clock)
    calls = []

    def work(connection):
        calls.append(rows(connection))
        with rival.begin() as other:
            other.execute(set_value("both", str(len(calls))))
        connection.execute(set_value("both", "own"))

    with pytest.raises(UserError, match="other PCs write to it too; try again"):
        database.transact(engine, work)
    assert len(calls) == 4


def test_the_server_runs_transactions_as_serialisable(server):
    with closing(Registry.open(server.database())) as registry:
        level = registry.transact(
            lambda connection: connection.exec_driver_sql("SHOW transaction_isolation").scalar()
        )
    assert level == "serializable"
