#!/bin/sh
# Checks one shard in each task of a Slurm array. Submit it in the directory with mcpctl.yaml:
#
#	mkdir -p reports && rm -f reports/*.json
#	job=$(sbatch --parsable --array=1-8 slurm.sh)
#	sbatch --wait --dependency=afterany:$job merge.sh
#
# A task that is killed leaves no report, so remove those of the last run first. A requeued task writes its report
# again. With --exit-zero, findings fail only merge.sh.
#SBATCH --job-name=mcpctl
#SBATCH --requeue
#SBATCH --output=reports/shard-%a.log
mcpctl check --config mcpctl.yaml --shard auto --report "json=reports/shard-$SLURM_ARRAY_TASK_ID.json" --output /dev/null --exit-zero
