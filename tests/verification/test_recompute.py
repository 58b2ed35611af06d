"""A stated calculation, done again."""

import pytest

from grounded.types import Calculation
from grounded.verification.recompute import Operand, holds


@pytest.mark.parametrize(
    ("result", "held"), [("63", True), ("56", False), ("63 million", True), ("63 thousand", False)]
)
def test_an_extreme_is_read_in_the_unit_in_force_for_it(result: str, held: bool) -> None:
    stated = Calculation(operation="maximum", formula="max(63; 56) = 63", operands=("63", "56"), result=result)
    assert holds(stated, [Operand("63", "in millions"), Operand("56", "in millions")]) is held
