# SPDX-License-Identifier: Apache-2.0
"""Expressions of model files, by the grammar in the article on the language.

parse("src + 0.5 * delay(echo, 3)") is
    Call("+", [Name("src"), Call("*", [Number(0.5), Call("delay", [Name("echo"), Number(3)])])])
with the names of arguments that have one.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z][A-Za-z0-9_]*)|'([^']*)'|(<=|>=|==|!=|[-+*/%<>()\[\],:]))"
)


@dataclass
class Number:
    value: float


@dataclass
class Name:
    name: str


@dataclass
class Text:
    text: str


@dataclass
class List:
    items: list


@dataclass
class Call:
    function: str
    arguments: list
    names: list = field(default_factory=list)  # None where an argument is given by position


def tokens(text):
    """The tokens of an expression: pairs of a kind and a text."""
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"no token at {text[at:]!r}")
        kind = ("number", "name", "string", "sign")[match.lastindex - 1]
        found.append((kind, match.group(match.lastindex)))
        at = match.end()
    return found + [("end", "")]


class Parser:
    """One expression, read from left to right."""

    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def sign(self, *signs):
        """The next token, taken where it is one of these signs."""
        kind, text = self.tokens[self.at]
        if kind == "sign" and text in signs:
            self.at += 1
            return text
        return None

    def expect(self, sign):
        if not self.sign(sign):
            raise ValueError(f"expected {sign}, found {self.tokens[self.at]}")

    def comparison(self):
        left = self.sum()
        sign = self.sign("<", "<=", ">", ">=", "==", "!=")
        return Call(sign, [left, self.sum()]) if sign else left

    def sum(self):
        left = self.product()
        while sign := self.sign("+", "-"):
            left = Call(sign, [left, self.product()])
        return left

    def product(self):
        left = self.unary()
        while sign := self.sign("*", "/", "%"):
            left = Call(sign, [left, self.unary()])
        return left

    def unary(self):
        return Call("negate", [self.unary()]) if self.sign("-") else self.primary()

    def primary(self):
        if self.sign("("):
            inner = self.comparison()
            self.expect(")")
            return inner
        if self.sign("["):
            return List(self.items("]"))
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return Number(float(text))
        if kind == "string":
            return Text(text)
        if kind != "name":
            raise ValueError(f"expected a value, found {text!r}")
        if not self.sign("("):
            return Name(text)
        call = Call(text, [], [])
        while not self.sign(")"):
            if call.arguments:
                self.expect(",")
            named = self.tokens[self.at][0] == "name" and self.tokens[self.at + 1] == ("sign", ":")
            call.names.append(self.tokens[self.at][1] if named else None)
            self.at += 2 if named else 0
            call.arguments.append(self.comparison())
        return call

    def items(self, end):
        items = []
        while not self.sign(end):
            if items:
                self.expect(",")
            items.append(self.comparison())
        return items


def parse(text):
    """The tree of an expression."""
    parser = Parser(text)
    tree = parser.comparison()
    if parser.tokens[parser.at][0] != "end":
        raise ValueError(f"left over: {parser.tokens[parser.at:]}")
    return tree
