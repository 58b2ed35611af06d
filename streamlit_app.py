"""Front door: page config and navigation, nothing else."""
