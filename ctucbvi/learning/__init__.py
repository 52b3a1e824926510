"""What exact and fast learners share: settings, radii, statistics, histories, the environment."""

from ctucbvi.learning.environment import Environment, initial_distribution
from ctucbvi.learning.history import History, HistoryWriter, load_history, save_history
from ctucbvi.learning.never_left import NeverLeft, never_left
from ctucbvi.learning.radii import DOUBLES, Arithmetic, Constants, constants
from ctucbvi.learning.settings import Schedule, Settings, rescaling
from ctucbvi.learning.statistics import Episode, Statistics, Visit, jump_distance

__all__ = [
    "DOUBLES",
    "Arithmetic",
    "Constants",
    "Environment",
    "Episode",
    "History",
    "HistoryWriter",
    "NeverLeft",
    "Schedule",
    "Settings",
    "Statistics",
    "Visit",
    "constants",
    "initial_distribution",
    "jump_distance",
    "load_history",
    "never_left",
    "rescaling",
    "save_history",
]
