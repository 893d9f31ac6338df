"""The detector that asks a model, stage by stage."""
