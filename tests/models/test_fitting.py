"""The loop that trainings share."""

import pytest
import torch

from clew_models.fitting import Course, one_cycle


@pytest.mark.parametrize("warmup", [0.05, 0.1, 0.15, 0.2, 0.3])
def test_the_rate_rises_and_falls_however_few_steps_there_are(warmup: float) -> None:
    for steps in range(1, 31):
        weight = torch.nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.AdamW([weight], lr=1.0)
        schedule = one_cycle(optimizer, Course(examples=steps, batch=1), warmup)
        rates = []
        for _ in range(steps):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        assert 0 < min(rates) <= max(rates) <= 1
