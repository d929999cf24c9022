#!/bin/sh
# What a task manager starts for a worker: Beam's boot program, which ends with the task manager.
#
#   --environment_type=PROCESS --environment_config='{"command":"/path/to/boot.sh"}'
#
# STOWAGE_SWEEP_BOOT is the boot program [default: boot beside this script]:
#
#   go build -o boot github.com/apache/beam/sdks/v2/go/container
#
# A task manager that is killed leaves boot and the worker behind: they wait for it for ever. So the two are a
# group of their own, and a watch ends the group as soon as the task manager or boot is gone.
manager=$PPID
worker=$$
(
	while kill -0 "$manager" && kill -0 "$worker"; do
		sleep 1
	done
	kill -s TERM -- "-$worker" # dash wants the signal so
	sleep 1
	kill -s KILL -- "-$worker"
) </dev/null >/dev/null 2>&1 &
exec setsid "${STOWAGE_SWEEP_BOOT:-$(dirname "$0")/boot}" "$@"
