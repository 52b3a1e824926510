"""Learning: what exact and fast learners share, and beside it the learners themselves.

Here are settings, radii, statistics, histories and the environment.  :mod:`ctucbvi.learning.exact` and
:mod:`ctucbvi.learning.fast` build on them and do not know each other; :mod:`ctucbvi.learning.lockstep`
compares the two.
"""

from ctucbvi.learning.environment import Environment, initial_distribution
from ctucbvi.learning.history import History, HistoryWriter, has_head, load_history
from ctucbvi.learning.never_left import NeverLeft, never_left
from ctucbvi.learning.outside import Learned, OutsideWorld, known_parts, learn
from ctucbvi.learning.protocol import EpisodeWorld, LearningTask, OnlineLearner, WholeEpisodes
from ctucbvi.learning.radii import DOUBLES, Arithmetic, Constants, constants
from ctucbvi.learning.reports import Report
from ctucbvi.learning.sets import PairSet, Sets, confidence_sets
from ctucbvi.learning.settings import Schedule, Settings, rescaling
from ctucbvi.learning.statistics import Episode, Statistics, Visit, jump_distance

__all__ = [
    "DOUBLES",
    "Arithmetic",
    "Constants",
    "Environment",
    "Episode",
    "EpisodeWorld",
    "History",
    "HistoryWriter",
    "Learned",
    "LearningTask",
    "NeverLeft",
    "OnlineLearner",
    "OutsideWorld",
    "PairSet",
    "Report",
    "Schedule",
    "Sets",
    "Settings",
    "Statistics",
    "Visit",
    "WholeEpisodes",
    "confidence_sets",
    "constants",
    "has_head",
    "initial_distribution",
    "jump_distance",
    "known_parts",
    "learn",
    "load_history",
    "never_left",
    "rescaling",
]
