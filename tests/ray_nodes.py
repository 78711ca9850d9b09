"""A Ray cluster of two nodes on this machine, started as a program of its own.

It prints the address; a line on its input kills the second node as a power cut would, and the end
of its input stops everything.
"""

import sys

from ray.cluster_utils import Cluster


def main() -> None:
    node = {"num_cpus": 1, "object_store_memory": 100 << 20}
    # A dead node is noticed after two seconds instead of half a minute.
    alert = {"health_check_period_ms": 1_000, "health_check_failure_threshold": 2}
    head = {**node, "include_dashboard": False, "_system_config": alert}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    second = cluster.add_node(**node)
    cluster.wait_for_nodes()
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(second, allow_graceful=False)
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
