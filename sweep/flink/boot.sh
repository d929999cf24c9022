#!/bin/sh
# What a task manager starts for a worker: Beam's boot program, which ends with the task manager.
#
#   --environment_type=PROCESS --environment_config='{"command":"/path/to/boot.sh"}'
#
# STOWAGE_SWEEP_BOOT is the boot program [default: boot beside this script]:
#
#   go build -o boot github.com/apache/beam/sdks/v2/go/container
#
# A task manager that is killed leaves its workers behind: they wait for it for ever. So boot is a group
# of its own here, and is ended as soon as the task manager is gone or asks for the end.
boot=${STOWAGE_SWEEP_BOOT:-$(dirname "$0")/boot}
manager=$PPID
setsid "$boot" "$@" &
worker=$!
end() {
	kill -TERM -- "-$worker" 2>/dev/null
	sleep 1
	kill -KILL -- "-$worker" 2>/dev/null
}
trap 'end; exit 143' TERM INT HUP
while kill -0 "$worker" 2>/dev/null; do
	if ! kill -0 "$manager" 2>/dev/null; then
		end
		exit 1
	fi
	sleep 1 &
	wait $!
done
wait "$worker"
