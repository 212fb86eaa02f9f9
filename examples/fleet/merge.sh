#!/bin/sh
# Merges the reports of all shards; see slurm.sh.
#SBATCH --job-name=mcpctl-merge
#SBATCH --output=reports/merge.log
exec mcpctl merge --config mcpctl.yaml reports --output check.md --format markdown --report json=check.json
