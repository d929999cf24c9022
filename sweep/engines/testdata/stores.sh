#!/usr/bin/env bash
# stores.sh FOLDER: sweeps into object stores. moto stands in for S3 and gcp-storage-emulator for Google's store: both
# come from PyPI, run on this machine and keep everything in memory. Into each go a sweep, which a second call finds
# done, and one that is killed and resumed; into S3 three shards, too. The rows must be those of the plain loop.
set -eu
work=$1 first=sweep/examples/first.yaml suite=sweep/examples/suite.yaml
sweep() { bin/stowage-sweep "$@"; }
test -x "$work/venv/bin/moto_server" || {
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" install -q 'moto[server,s3]==5.2.5' gcp-storage-emulator==2026.7.19
}
rm -rf "$work/first" "$work/suite"
servers=
trap 'kill $servers 2>/dev/null || true' EXIT
"$work/venv/bin/moto_server" -H 127.0.0.1 -p 5055 >"$work/s3.log" 2>&1 &
servers=$!
"$work/venv/bin/gcp-storage-emulator" start --host=127.0.0.1 --port=9023 --in-memory --default-bucket=sweeps >"$work/gs.log" 2>&1 &
servers="$servers $!"
export AWS_ENDPOINT_URL=http://127.0.0.1:5055 AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any AWS_REGION=us-east-1
export AWS_RESPONSE_CHECKSUM_VALIDATION=when_required STORAGE_EMULATOR_HOST=127.0.0.1:9023
for _ in $(seq 60); do
	"$work/venv/bin/python" -c 'import boto3; boto3.client("s3").create_bucket(Bucket="sweeps")' 2>/dev/null && break
	sleep 0.5
done

sweep run -q --runner=loop -o "$work/first" "$first"
sweep run -q --runner=loop -o "$work/suite" "$suite"
for store in s3 gs; do
	sweep run -q -o $store://sweeps/first "$first"
	sweep run -q -o $store://sweeps/first "$first"
	sweep diff $store://sweeps/first "$work/first"
	bin/stowage-sweep run -q -o $store://sweeps/suite "$suite" &
	killed=$!
	sleep 3
	kill -9 $killed 2>/dev/null || echo "the sweep was done before it was killed"
	wait $killed || true
	sweep status $store://sweeps/suite || true
	sweep run -q -o $store://sweeps/suite "$suite"
	sweep diff $store://sweeps/suite "$work/suite"
done
# Two runs of the same sweep at once.
for store in s3 gs; do
	sweep run -q -o $store://sweeps/twice "$first" &
	other=$!
	sweep run -q -o $store://sweeps/twice "$first"
	wait $other
	sweep diff $store://sweeps/twice "$work/first"
done
shards=
for i in 0 1 2; do
	sweep run -q -o s3://sweeps/shards --shard=$i/3 "$first" &
	shards="$shards $!"
done
for p in $shards; do wait "$p"; done
sweep diff s3://sweeps/shards "$work/first"
echo "the object stores have the rows of the plain loop"
