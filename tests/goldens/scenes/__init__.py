"""The scenes: commands whose outcome is held against the goldens."""

from goldens.play import SCENES as SCENES
from goldens.scenes import judged as judged
from goldens.scenes import lengthy as lengthy
from goldens.scenes import rows as rows
from goldens.scenes import runs as runs
from goldens.scenes import studies as studies
from goldens.scenes import systems as systems
