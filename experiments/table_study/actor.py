"""A robot before a study from a table: it chooses by keys or clicks, or types its answers."""

from collections.abc import Iterator, Mapping

from experiments.robot_input.actor import ChoiceActor
from experiments.robot_input.input_events import InputEvent, typing
from experiments.robot_input.recalling import Past, Recalled, recalled_choice, recalled_keys
from experiments.screens.parts import Area
from participants.session import TimedChoice
from participants.session.typed_line import RETURN
from participants.table_study.robots import key_of, typed_at
from participants.table_study.trial import ItemTrial


class ItemActor(ChoiceActor):
    """A robot that answers items."""

    def _events(self, task: TimedChoice, areas: Mapping[str, Area]) -> Iterator[InputEvent]:
        if not isinstance(task, ItemTrial) or not task.typed:
            yield from super()._events(task, areas)
            return
        response = self._robot.answer(task)
        if response.rt_s is None:
            return
        self._injector.learn(response.decision)
        letters = typed_at(response.decision, response.rt_s)
        keys = [key_of(sign) for sign, _ in letters]
        yield from typing((*keys, RETURN), (*(at_s for _, at_s in letters), response.rt_s))


def recalled_item(task: ItemTrial, where: Mapping[str, Area], past: Past) -> Iterator[Recalled]:
    """Yield how an item was answered, from its journal."""
    if task.typed:
        yield from recalled_keys(past.end["keystrokes"], past.onset_s, past)
    else:
        yield from recalled_choice(task, where, past)
