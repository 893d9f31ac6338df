"""Studies: sweeps over many runs, answers from other harnesses, tuned prompts."""

from memtriage.studies.sweep import Sweep as Sweep
from memtriage.studies.sweep import dry_run as dry_run
from memtriage.studies.sweep import is_sweep as is_sweep
from memtriage.studies.sweep import load as load
from memtriage.studies.sweep import sweep as sweep
