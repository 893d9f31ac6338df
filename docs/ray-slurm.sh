#!/bin/bash
# A run of memtriage on the nodes of a Slurm job: sbatch --nodes=4 ray-slurm.sh run --suite longmemeval. See ray.md.
#SBATCH --job-name=memtriage
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --time=08:00:00
set -euo pipefail

# . ~/memtriage/.venv/bin/activate     # where memtriage and Ray are installed, on a disk that all nodes see

export RAY_USAGE_STATS_ENABLED=0
export RAY_AUTH_MODE=token
RAY_AUTH_TOKEN=$(python -c "import secrets; print(secrets.token_hex(32))")  # only this job may use its cluster
export RAY_AUTH_TOKEN

head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}')
port=$((20000 + SLURM_JOB_ID % 10000))

srun --nodes=1 --ntasks=1 --nodelist="$head" \
  ray start --head --node-ip-address="$address" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" \
  --include-dashboard=false --block &
for _ in $(seq 60); do  # until the head answers
  if (exec 3<>"/dev/tcp/$address/$port") 2>/dev/null; then break; fi
  sleep 1
done
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
  srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" \
    ray start --address="$address:$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
fi

memtriage "$@" --on "ray:$address:$port"
