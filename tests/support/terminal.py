"""A terminal for tests: a program runs in a pseudo-terminal, and its output is interpreted as a terminal does."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\x1b\[([0-9;:?]*)([@-~])|\x1b[@-Z\\^_=>]|\x1b\][^\x07]*\x07|\x1b\([0B]")


class Screen:
    """Rows of text. `history` has the rows that have scrolled off. Interprets only cursor movements and erasures;
    other sequences, except colors, are collected in `other`. `modes` has the private modes that are on: "?1049" is the
    alternate screen."""

    def __init__(self, rows=24, columns=80):
        self.rows, self.columns = rows, columns
        self.screen = [[" "] * columns for _ in range(rows)]
        self.history, self.other, self.modes = [], [], set()
        self.row = self.column = 0
        self.main = None  # the screen behind the alternate one, and its cursor
        self.rest = ""

    def feed(self, text):
        text = self.rest + text
        self.rest, at = "", 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                if len(text) - at < 64:
                    self.rest = text[at:]
                    return
                self.other.append("\x1b")
                at += 1
                continue
            self.act(found)
            at = found.end()

    def put(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.down()
        elif c == "\b":
            self.column = max(self.column - 1, 0)
        elif c == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
        elif c >= " ":
            if self.column == self.columns:
                self.column = 0
                self.down()
            width = 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
            if width == 0:
                self.screen[self.row][max(self.column - 1, 0)] += c
                return
            self.screen[self.row][self.column] = c
            if width == 2 and self.column + 1 < self.columns:
                self.screen[self.row][self.column + 1] = ""
            self.column += width
        else:
            self.other.append(c)

    def down(self):
        self.row += 1
        if self.row == self.rows:
            self.history.append("".join(self.screen.pop(0)).rstrip())
            self.screen.append([" "] * self.columns)
            self.row -= 1

    def act(self, found):
        kind, parameters = found.group(2), found.group(1) or ""
        first = int(parameters.split(";")[0]) if parameters.split(";")[0].isdigit() else 0
        count = max(first, 1)
        if kind == "A":
            self.row = max(self.row - count, 0)
        elif kind == "B":
            self.row = min(self.row + count, self.rows - 1)
        elif kind == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif kind == "D":
            self.column = max(self.column - count, 0)
        elif kind == "G":
            self.column = min(count, self.columns) - 1
        elif kind == "K":
            row = self.screen[self.row]
            begin, end = {0: (self.column, self.columns), 1: (0, self.column + 1), 2: (0, self.columns)}[first]
            row[begin:end] = [" "] * len(row[begin:end])
        elif kind == "H":
            row, _, column = parameters.partition(";")
            self.row = min(int(row or 1), self.rows) - 1
            self.column = min(int(column or 1), self.columns) - 1
        elif kind and kind in "hl" and parameters.startswith("?"):
            if parameters == "?1049" and (kind == "h") != (parameters in self.modes):
                blank = [[" "] * self.columns for _ in range(self.rows)]
                now = self.screen, self.row, self.column
                self.screen, self.row, self.column = (blank, 0, 0) if kind == "h" else self.main
                self.main = now
            (self.modes.add if kind == "h" else self.modes.discard)(parameters)
        elif kind == "J" and first == 2:
            self.screen = [[" "] * self.columns for _ in range(self.rows)]
        elif kind == "J" and first == 0:
            self.screen[self.row][self.column :] = [" "] * (self.columns - min(self.column, self.columns))
            for row in self.screen[self.row + 1 :]:
                row[:] = [" "] * self.columns
        elif kind != "m":
            self.other.append(found.group())

    def lines(self):
        """All readable lines, from the first one on."""
        shown = ["".join(row).rstrip() for row in self.screen]
        while shown and not shown[-1]:
            shown.pop()
        return self.history + shown


class Terminal(Screen):
    """The same, with a program running in it."""

    def __init__(self, argv, rows=24, columns=80):
        super().__init__(rows, columns)
        self.bytes = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.environ["TERM"] = "xterm-256color"
            os.execvp(argv[0], argv)
        self.left = b""

    def read(self, seconds):
        """Returns False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.fd, 65536)
        except OSError:
            piece = b""
        if not piece:
            return False
        self.bytes += len(piece)
        piece = self.left + piece
        text = piece.decode("utf-8", "ignore")
        self.left = piece[len(text.encode()) :]
        self.feed(text)
        return True

    def until(self, is_shown, patience=600):
        """Reads until the function is true for the lines."""
        end = time.monotonic() + patience
        while not is_shown(self.lines()):
            if not self.read(1) or time.monotonic() > end:
                raise AssertionError("never came true; the terminal shows:\n" + "\n".join(self.lines()))

    def type(self, text):
        os.write(self.fd, text.encode())

    def resize(self, rows, columns):
        """As a window does. The program redraws the screen."""
        self.rows, self.columns = rows, columns
        self.screen = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def finish(self, patience=600):
        """Reads to the end; returns the exit code."""
        end = time.monotonic() + patience
        while self.read(1):
            if time.monotonic() > end:
                raise AssertionError("it does not end; the terminal shows:\n" + "\n".join(self.lines()))
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
