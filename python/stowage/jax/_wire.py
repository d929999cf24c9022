"""Messages of protocol buffers, read and written without their library.

Idea: a message is a list of fields in the order of the file. Only what a schema names is taken apart; all other
fields are kept as bytes. So a message that is read and written again, with nothing changed, has the same bytes.

Invariant: nothing that a file says is trusted: a length that leads beyond the end, a number of more than 64 bits and
an unknown wire type are errors, with the place.
Source: the encoding of protocol buffers, protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from typing import Union

from .._errors import InputError

NUMBER, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Value = Union[int, bytes, "Message"]


class Message:
    """A message: its fields, each [number, wire type, value]. where says which part of the file it is."""

    __slots__ = ("fields", "where")

    def __init__(self, data: bytes, where: str) -> None:
        self.fields: list[tuple[int, int, Value]] = []
        self.where = where
        i, end = 0, len(data)
        while i < end:
            key, i = self._number(data, i)
            field, wire = key >> 3, key & 7
            if field == 0:
                raise InputError(f"{where}: a field has the number 0, at byte {i}")
            value: Value
            if wire == NUMBER:
                value, i = self._number(data, i)
            elif wire in (BYTES, FIXED64, FIXED32):
                n = 8 if wire == FIXED64 else 4
                if wire == BYTES:
                    n, i = self._number(data, i)
                if n > end - i:
                    raise InputError(f"{where}: field {field} has {n} bytes at byte {i}, of {end} in all")
                value, i = data[i : i + n], i + n
            else:
                raise InputError(f"{where}: field {field} has wire type {wire}")
            self.fields.append((field, wire, value))

    def _number(self, data: bytes, i: int) -> tuple[int, int]:
        try:
            return number(data, i)
        except ValueError as err:
            raise InputError(f"{self.where}: {err}") from None

    def opened(self, field: int, name: str) -> list[Message]:
        """Returns the messages of a field, which from now on are written from what they are then."""
        out = []
        for k, (f, wire, value) in enumerate(self.fields):
            if f != field:
                continue
            if wire != BYTES or isinstance(value, int):
                raise InputError(f"{self.where}: {name} is not a message")
            if not isinstance(value, Message):
                value = Message(value, f"{self.where}, {name}")
                self.fields[k] = (f, wire, value)
            out.append(value)
        return out

    def only(self, field: int, name: str) -> Message:
        """Returns the message of a field that is there once."""
        found = self.opened(field, name)
        if len(found) != 1:
            raise InputError(f"{self.where}: there are {len(found)} of {name}, not 1")
        return found[0]

    def integer(self, field: int, name: str, otherwise: int = 0) -> int:
        """Returns a number, which is otherwise if the field is not there."""
        for f, wire, value in self.fields:
            if f == field:
                if wire != NUMBER or not isinstance(value, int):
                    raise InputError(f"{self.where}: {name} is not a number")
                otherwise = value
        return otherwise

    def text(self, field: int, name: str) -> str:
        """Returns a text; "" if the field is not there."""
        out = ""
        for f, _, value in self.fields:
            if f == field:
                if not isinstance(value, bytes):
                    raise InputError(f"{self.where}: {name} is not a text")
                out = value.decode("utf-8", "replace")
        return out

    def set(self, field: int, value: int) -> None:
        """Sets a number: 0 by leaving it out, as writers of these messages do."""
        self.fields = [x for x in self.fields if x[0] != field]
        if value:
            at = next((k for k, x in enumerate(self.fields) if x[0] > field), len(self.fields))
            self.fields.insert(at, (field, NUMBER, value))

    def dump(self) -> bytes:
        """Returns the message's bytes."""
        out = bytearray()
        for field, wire, value in self.fields:
            out += encoded(field << 3 | wire)
            if isinstance(value, int):
                out += encoded(value)
                continue
            data = value.dump() if isinstance(value, Message) else value
            if wire == BYTES:
                out += encoded(len(data))
            out += data
        return bytes(out)


def number(data: bytes, i: int) -> tuple[int, int]:
    """Returns the number at byte i, and the byte after it."""
    out = 0
    for k in range(10):
        if i + k >= len(data):
            raise ValueError(f"a number is cut off at byte {i}")
        byte = data[i + k]
        out |= (byte & 127) << 7 * k
        if byte < 128:
            if out >> 64:
                break
            return out, i + k + 1
    raise ValueError(f"a number has more than 64 bits, at byte {i}")


def encoded(value: int) -> bytes:
    """Returns a number as a message has it."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
