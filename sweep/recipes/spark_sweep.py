"""A sweep on Spark: spark-submit spark_sweep.py tasks.jsonl OUT [PARTITIONS]

OUT is a folder that all executors see. Executors need the wheel installed by pip, or as an archive of a
virtual environment (--archives venv.tar.gz#venv): it holds a library, which a zip on the path cannot give.
A batch is one task and partitions are few, so that a killed executor costs little and small sweeps start fast.
"""

import json
import os
import sys

import pandas
import tasks
from pyspark.sql import SparkSession


def main(file, out, partitions=64):
    todo = [(json.dumps(task),) for task in tasks.read(file)]
    spark = SparkSession.builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "1").getOrCreate()
    spark.sparkContext.addPyFile(tasks.__file__)

    def each(batches):
        import tasks

        for batch in batches:
            yield pandas.DataFrame({"rows": [tasks.solve(json.loads(task), out) for task in batch.task]})

    frame = spark.createDataFrame(todo, "task string").repartition(max(1, min(int(partitions), len(todo))))
    done = frame.mapInPandas(each, "rows long").collect()
    print(f"{len(done)} tasks done, {sum(row.rows for row in done)} rows")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]), *sys.argv[3:])
