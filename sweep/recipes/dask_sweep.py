"""A sweep on Dask: python dask_sweep.py tasks.jsonl OUT [ADDRESS OF THE SCHEDULER]

Without an address, Dask's LocalCluster on this machine works. OUT is a folder that all workers see. Workers
need stowage and pyarrow. A worker that dies costs its tasks another attempt on another worker; a task that has
killed four workers (distributed.scheduler.allowed-failures) or failed three times is given up.
"""

import sys

import tasks
from dask.distributed import Client, LocalCluster, as_completed


def main(file, out, address=None, workers=None):
    todo = {task["key"]: task for task in tasks.read(file)}
    with Client(address or LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)) as client:
        client.upload_file(tasks.__file__)
        futures = client.map(tasks.solve, todo.values(), out=out, key=list(todo), retries=2)
        done = dead = rows = 0
        for future in as_completed(futures):
            if future.status == "error":
                dead += 1
                tasks.bury(todo[future.key], out, str(future.exception()))
            else:
                done, rows = done + 1, rows + future.result()
        print(f"{done} tasks done, {rows} rows, {dead} given up")


if __name__ == "__main__":
    main(*sys.argv[1:])
