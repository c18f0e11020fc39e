"""What somebody types into the start window."""


def scan(window, text):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    QTest.keyClicks(window.who.code, text)
    QTest.keyClick(window.who.code, Qt.Key.Key_Return)


def type_note(window, text):
    type_into(window.after.note, text)


def type_into(field, text):
    from PyQt6.QtTest import QTest

    QTest.keyClicks(field, text)
