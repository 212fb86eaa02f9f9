#!/bin/sh
# One part of a check in each task of a Slurm array, in the folder with mcpctl.yaml:
#
#	mkdir -p reports && rm -f reports/*.json
#	parts=$(sbatch --parsable --array=1-8 slurm.sh)
#	sbatch --wait --dependency=afterany:$parts merge.sh
#
# Slurm makes no folder for its logs. A task that is killed leaves no report behind, but one of the last run would stay; one that is
# requeued writes it anew. That a part found something fails nothing yet: merge.sh has the exit status of the whole.
#SBATCH --job-name=mcpctl
#SBATCH --requeue
#SBATCH --output=reports/part-%a.log
mcpctl check --config mcpctl.yaml --shard auto --report "json=reports/part-$SLURM_ARRAY_TASK_ID.json" --output /dev/null --exit-zero
