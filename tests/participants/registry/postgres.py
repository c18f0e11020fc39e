"""A PostgreSQL server of a test's own, from the machine's binaries."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

USER, PASSWORD = "lab", "secret of the test"
NOBODY = "nobody"
QUICK = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"


def binaries() -> Path | None:
    """Return the folder of ``initdb``, ``pg_ctl`` and ``postgres``; None where there is none."""
    on_path = shutil.which("initdb")
    known = [Path(on_path).resolve().parent] if on_path else []
    known += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    needed = ("initdb", "pg_ctl", "postgres")
    return next((one for one in known if all((one / name).exists() for name in needed)), None)


class Server:
    """A server that can be stopped and started again; `database` makes a new database."""

    def __init__(self, place: Path, found: Path) -> None:
        self._place, self._binaries, self._made = place, found, 0
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = place / "password"
        secret.write_text(PASSWORD + "\n")
        if os.getuid() == 0:
            shutil.chown(place, NOBODY)
            shutil.chown(secret, NOBODY)
        data = str(place / "data")
        self._run("initdb", "-D", data, "-U", USER, f"--pwfile={secret}", "-A", "scram-sha-256",
                  "--no-sync")  # fmt: skip

    def start(self) -> None:
        """Start it; it listens on this machine alone."""
        place = self._place
        options = f"-p {self.port} -k {place} -c listen_addresses=127.0.0.1 {QUICK}"
        self._control("-o", options, "-l", str(place / "log"), "start")

    def stop(self) -> None:
        """Stop it at once; who is connected is cut off."""
        self._control("-m", "fast", "stop")

    def database(self) -> str:
        """Return the registry URL of a new database, without the password."""
        self._made += 1
        name = f"registry_{self._made}"
        from sqlalchemy import create_engine

        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        engine.dispose()
        return self.url(name)

    def url(self, database: str, user: str = USER, password: str = PASSWORD) -> str:
        """Return the URL of a database."""
        secret = f":{password.replace(' ', '%20')}" if password else ""
        return f"postgresql+psycopg://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self._place / "data"), "-w", *arguments)

    def _run(self, name: str, *arguments: str) -> None:
        # PostgreSQL refuses to run as root.
        before = ["runuser", "-u", NOBODY, "--"] if os.getuid() == 0 else []
        command = [*before, str(self._binaries / name), *arguments]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        done = subprocess.run(command, cwd="/", text=True, check=False, **quiet)
        assert done.returncode == 0, done.stderr


@contextmanager
def running_server(place: Path, found: Path) -> Iterator[Server]:
    """Give a server that runs."""
    server = Server(place, found)
    server.start()
    try:
        yield server
    finally:
        server.stop()
