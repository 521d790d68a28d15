"""The log of a live system: an SQLite database to which calls are only added, in memory or in a file.

Each call is one transaction, on the disk when it returns. A row holds a checksum; the number of rows stands
in the header, so that a row that is lost, changed or of another system is noticed. The state of the policy
after some round may be stored beside the calls, to save replaying them. While the file is open, the latest
calls are in a second file beside it, `-wal`, which SQLite joins to it when it is closed, or opened after a
kill.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tvgp.live.calls import Row

APPLICATION = int.from_bytes(b"tvgp", "big")
SECONDS = 10.0  # that a call waits for another process
STATES = 3  # kept
_NOW = {  # failures that may be over at the next try
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_TABLES = """
    CREATE TABLE definition (content TEXT NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE calls (t INTEGER, number INTEGER, call TEXT NOT NULL, checksum INTEGER NOT NULL,
        PRIMARY KEY (t, number)) WITHOUT ROWID;
    CREATE TABLE states (t INTEGER PRIMARY KEY, policy BLOB NOT NULL, checksum INTEGER NOT NULL);
"""


class Stale(OSError):
    """Another process has added calls that this object has not seen, or replaced the file, which has to be
    loaded again."""


class Log:
    """Rows of calls by round, and the definition of the system that made them.

    OSError, in one line, where the file cannot be read or written now, `Stale` if another process has added
    calls; ValueError where it is damaged.
    """

    def __init__(self, definition: dict[str, Any]) -> None:
        """An empty log in memory."""
        self._file: Path | None = None
        self._connect()
        self._database.executescript(_TABLES)
        text = json.dumps(definition)
        self._origin = zlib.crc32(text.encode())
        self._database.execute("INSERT INTO definition VALUES (?, ?)", (text, self._origin))
        self._database.execute(f"PRAGMA application_id = {APPLICATION}")

    def _connect(self) -> None:
        self._frozen = False
        try:
            self._open("mode=rw")
        except sqlite3.OperationalError as error:
            # SQLite needs files beside it, unless it is told that nobody writes, as on a read-only medium
            refused = _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if self._file is None or not refused or _beside(self._file, "-wal").exists():
                raise
            self._frozen = True
            self._open("immutable=1")
        self._number: int = self._header("user_version")
        self._place = self._found()

    def _open(self, how: str) -> None:
        name = ":memory:" if self._file is None else f"{self._file.as_uri()}?{how}"
        self._database = sqlite3.connect(
            name, timeout=SECONDS, isolation_level=None, check_same_thread=False, uri=True
        )
        if self._file is not None:
            if self._header("application_id") != APPLICATION:  # nothing is written to files of others
                raise ValueError(f"{self._file}: not a file of tvgp.live.Live.save")
            self._origin = _origin(self._database)
            if not self._frozen:
                # a transaction waits once for the disk, not 4 times
                self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")  # and is durable when it ends

    @classmethod
    def open(cls, file: Path) -> Log:
        """The log in a file."""
        log = cls.__new__(cls)
        log._file, log._frozen = file, False
        os.stat(file)  # gives the clearest error for a bad path
        with log._failures():
            if _beside(file, "-wal").exists():
                log._open("mode=ro")  # which joins nothing to the file
                with contextlib.closing(log):
                    log._check_latest(file)
            log._connect()
            if not log._is_whole():
                raise ValueError(f"{file}: damaged; take an older copy")
        return log

    def _is_whole(self) -> bool:
        self._database.execute("BEGIN")  # others may add calls while it is checked
        self._number = self._header("user_version")
        try:
            faults = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
            rows = self._database.execute("SELECT count(*) FROM calls").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if _code(error) != sqlite3.SQLITE_CORRUPT:
                raise
            return False
        finally:
            self._database.execute("COMMIT")
        return bool(faults == "ok" and rows == self._number)

    def _check_latest(self, file: Path) -> None:
        """ValueError for a `-wal` that is not of the file, as where a copy was put over that of a killed
        process: its last call is of another system, or calls of the file alone are not among both's."""
        whole = self._is_whole()
        self._database.execute("BEGIN")  # meanwhile nobody joins calls that are not seen here
        both = set(self._database.execute("SELECT number, checksum FROM calls"))
        latest = self._database.execute("SELECT * FROM calls ORDER BY number DESC LIMIT 1").fetchall()
        if not (whole and all(_is_sound(self._origin, *row) for row in latest) and _within(file, both)):
            raise ValueError(
                f"{_beside(file, '-wal')}: damaged, or of another file than {file.name}; move it away to load"
                " that without the calls in it"
            )

    @functools.cached_property
    def lock(self) -> threading.RLock:
        """Held during a call, as threads may share a system; a copy has its own."""
        return threading.RLock()

    def __deepcopy__(self, memo: object) -> Log:
        """A copy in memory."""
        log = Log.__new__(Log)
        log._file = None
        log._connect()
        with self._failures():
            self._database.backup(log._database)
        log._number, log._origin = self._number, self._origin
        return log

    @property
    def file(self) -> Path | None:
        """Where the log is, None in memory."""
        return self._file

    @property
    def definition(self) -> Any:
        """What `Log` was given."""
        with self._failures():
            text, checksum = self._database.execute("SELECT * FROM definition").fetchone()
            return self._checked(text, checksum == zlib.crc32(text.encode()))

    def number(self) -> int:
        """Of calls now, those that other processes have added included."""
        with self._failures():
            return self._header("user_version")

    def add(self, t: int, call: Row) -> None:
        """Add a call of round t."""
        with self._failures(), self._transaction():
            number, text = self._number + 1, json.dumps(call)
            row = (t, number, text, _checksum(t, number, text, self._origin))
            self._database.execute("INSERT INTO calls VALUES (?, ?, ?, ?)", row)
            self._database.execute(f"PRAGMA user_version = {number}")
            self._database.execute("DELETE FROM states WHERE t >= ?", (t,))
        self._number = number

    def calls(self, t: int) -> list[Row]:
        """The calls of round t in their order."""
        with self._failures():
            found = self._database.execute("SELECT * FROM calls WHERE t = ? ORDER BY number", (t,))
            return [self._row(*row) for row in found]

    def history(self) -> Iterator[tuple[int, Row]]:
        """Round and call of each row, in the order in which they were made."""
        with self._failures():
            for row in self._database.execute("SELECT * FROM calls ORDER BY number"):
                yield row[0], self._row(*row)

    def rounds(self, after: int, last: int) -> list[int]:
        """Rounds with calls, from the one after `after` to `last`."""
        with self._failures():
            query = "SELECT DISTINCT t FROM calls WHERE t > ? AND t <= ? ORDER BY t"
            return [t for (t,) in self._database.execute(query, (after, last))]

    def last(self, most: int) -> int:
        """The last round with a call, of those up to `most`; 0 without any."""
        with self._failures():
            found = self._database.execute("SELECT max(t) FROM calls WHERE t <= ?", (most,)).fetchone()
            return int(found[0] or 0)

    def keep_state(self, t: int, policy: bytes) -> None:
        """Store the state of the policy after the calls of all rounds up to t; a later call of such a round
        removes it."""
        with self._failures(), self._transaction():
            row = (t, policy, zlib.crc32(policy, self._origin))
            self._database.execute("INSERT OR REPLACE INTO states VALUES (?, ?, ?)", row)
            oldest = "SELECT t FROM states ORDER BY t DESC LIMIT -1 OFFSET ?"
            self._database.execute(f"DELETE FROM states WHERE t IN ({oldest})", (STATES,))

    def state(self, before: int) -> tuple[int, bytes] | None:
        """The latest state after a round before this one, and its round; None without any that is whole."""
        with self._failures():
            query = "SELECT * FROM states WHERE t < ? ORDER BY t DESC"
            for t, policy, checksum in self._database.execute(query, (before,)):
                if zlib.crc32(policy, self._origin) == checksum:
                    return t, policy
        return None

    def move_to(self, file: Path) -> None:
        """Copy the log to a new file, whole or not at all; further calls are added there."""
        temporary, latest = _beside(file, ".tmp"), _beside(file, "-wal")
        if file != self._file and not file.exists():
            # SQLite would join to the new file what is beside it
            if latest.exists():
                raise ValueError(
                    f"{latest}: has calls of a file that is gone; put it back, or delete this one too"
                )
            _beside(file, "-shm").unlink(missing_ok=True)  # of a process that has the old one open
        temporary.unlink(missing_ok=True)  # of a process that was killed
        try:
            with self._failures(file):
                self._database.execute("VACUUM INTO ?", (str(temporary),))
            _sync(temporary)
            os.link(temporary, file)
            _sync(file.parent)
        except FileExistsError:
            raise ValueError(
                f"{file}: exists already; Live.load it, save under another name, or delete it"
            ) from None
        finally:
            temporary.unlink(missing_ok=True)
        self.close()
        self._file = file
        with self._failures():
            self._connect()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _found(self) -> list[tuple[int, int] | None]:
        """Which files are now at its path and beside it, and of one that is read as it is, since when."""
        if self._file is None:
            return []
        found = [_identity(self._file), _identity(_beside(self._file, "-wal"))]
        return [*found, (os.stat(self._file).st_mtime_ns, 0)] if self._frozen else found

    def _header(self, name: str) -> int:
        return int(self._database.execute(f"PRAGMA {name}").fetchone()[0])

    def _row(self, t: int, number: int, text: str, checksum: int) -> Row:
        return self._checked(text, _is_sound(self._origin, t, number, text, checksum))

    def _checked(self, text: str, sound: bool) -> Any:
        if not sound:
            raise ValueError(f"{self._file}: damaged; take an older copy")
        return json.loads(text)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing; `Stale` if the log is not what this object has seen."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            if self._header("user_version") != self._number:
                raise Stale(f"{self._file}: another process has added calls; Live.load the file again")
            if self._found() != self._place:  # what is added to a deleted file is gone
                raise Stale(f"{self._file}: it or its -wal was deleted or replaced; Live.load it again")
            yield
            self._database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _failures(self, file: Path | None = None) -> Iterator[None]:
        """The errors of SQLite as one line that names the file, its own by default."""
        try:
            if self._frozen and self._found() != self._place:  # others may still write to it
                self._connect()
            yield
        except (sqlite3.Error, UnicodeError) as error:
            file, words = file or self._file, " ".join(str(error).split())
            if _code(error) in _NOW:
                raise OSError(f"{file}: {words}") from error
            if isinstance(error, sqlite3.ProgrammingError):
                raise ValueError(f"{file or 'the log in memory'}: closed; Live.load it again") from error
            raise ValueError(f"{file}: damaged, or not a file of tvgp.live ({words})") from error


def _code(error: Exception) -> int:
    """SQLite's primary code of an error."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


def _checksum(t: int, number: int, text: str, origin: int = 0) -> int:
    """Of a row; origin: the checksum of the definition, so that a row of another system is noticed."""
    return zlib.crc32(f"{t} {number} {text}".encode(), origin)


def _origin(database: sqlite3.Connection) -> int:
    found = database.execute("SELECT coalesce(max(checksum), 0) FROM definition").fetchone()
    return int(found[0])


def _is_sound(origin: int, t: int, number: int, text: str, checksum: int) -> bool:
    """Whether a row is whole, and of the system with this definition, or of before rows named it."""
    return checksum in (_checksum(t, number, text, origin), _checksum(t, number, text))


def _within(file: Path, rows: set[tuple[int, int]]) -> bool:
    """Whether a file without its `-wal` has no other rows than these, of numbers and checksums."""
    with contextlib.closing(sqlite3.connect(f"{file.as_uri()}?immutable=1", uri=True)) as database:
        with contextlib.suppress(sqlite3.DatabaseError):  # a kill may leave it half joined
            origin = _origin(database)
            for row in database.execute("SELECT * FROM calls"):
                if (row[1], row[3]) not in rows and _is_sound(origin, *row):
                    return False
    return True


def _beside(file: Path, end: str) -> Path:
    return file.with_name(f"{file.name}{end}")


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and number of a file, None where there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
