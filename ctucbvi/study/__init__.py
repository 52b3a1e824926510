"""Regret studies: learners played against the optimum, in runs that can be interrupted and shared out.

``run_study`` plays a :class:`Study` and ``run_studies`` many of them at once, ``StudyResult.of`` makes its
curve, ``draw`` the paper's figure.
"""

from ctucbvi.study.bound import RegretBound, regret_bound
from ctucbvi.study.cells import enough_cells, grid_loss
from ctucbvi.study.driver import Assignment, LostWorkerError, Standing, StudyRuns, run_studies, run_study
from ctucbvi.study.evaluation import Evaluator
from ctucbvi.study.figure import draw
from ctucbvi.study.guests import guest
from ctucbvi.study.learners import contestant, name_of
from ctucbvi.study.plan import Contestant, RunPlace, Study, checkpoints
from ctucbvi.study.result import StudyResult, document_text
from ctucbvi.study.shards import RunState
from ctucbvi.study.summary import Curve, student_quantile

__all__ = [
    "Assignment",
    "Contestant",
    "Curve",
    "Evaluator",
    "LostWorkerError",
    "RegretBound",
    "RunPlace",
    "RunState",
    "Standing",
    "Study",
    "StudyResult",
    "StudyRuns",
    "checkpoints",
    "contestant",
    "document_text",
    "draw",
    "enough_cells",
    "grid_loss",
    "guest",
    "name_of",
    "regret_bound",
    "run_studies",
    "run_study",
    "student_quantile",
]
