# Switches on parts of Kubernetes that are off by default, as they are for users: its feature gates, and the versions of
# APIs that the server only serves on request. KML_FEATURES is a list of names:
#
#   gangs      Workload and PodGroup of scheduling.k8s.io, and the scheduler that obeys them (beta since 1.37, alpha before)
#   job-gangs  gangs, and the Job controller makes them for Jobs (alpha)
#   racks      gangs, and their placement in one domain of a topology (alpha)
#   gang-claims  gangs, and ResourceClaims that a gang shares (beta since 1.37, alpha before)
#   no-claims  without ResourceClaims and ResourceSlices (resource.k8s.io); up to 1.34, because later ones always have them
#
# Any other word with a = is itself a gate: KML_FEATURES='gangs PodGroupPreemptionPolicy=true'.
# shellcheck shell=bash

gates= apis=  # for --feature-gates and --runtime-config
add_gates() { # GATE=VALUE...
  local gate
  for gate in "$@"; do [[ ",$gates," = *",$gate,"* ]] || gates+=${gates:+,}$gate; done
}
add_feature() {
  case $1 in
    gangs)
      case $minor in
        3[0-4]) fail "Kubernetes $kubernetes has no gangs" ;;
        35) add_gates GenericWorkload=true GangScheduling=true; apis=scheduling.k8s.io/v1alpha1=true ;;
        36) add_gates GenericWorkload=true GangScheduling=true; apis=scheduling.k8s.io/v1alpha2=true ;;
        *) add_gates GenericWorkload=true; apis=scheduling.k8s.io/v1beta1=true ;;
      esac
      ;;
    job-gangs) add_feature gangs; add_gates WorkloadWithJob=true ;;
    racks) add_feature gangs; add_gates TopologyAwareWorkloadScheduling=true ;;
    gang-claims) add_feature gangs; add_gates DRAWorkloadResourceClaims=true ;;
    no-claims) add_gates DynamicResourceAllocation=false ;;
    *=*) add_gates "$1" ;;
    *) fail "no feature '$1'; see $source_dir/lib/features.sh" ;;
  esac
}
for feature in ${KML_FEATURES:-}; do add_feature "$feature"; done
# Without cgroupsPerQOS, a kubelet that resizes a pod reads a nil pointer and crashes (doPodResizeAction).
# Version 1.34 may crash even without a request, when a container ends while its limits are read. Later
# versions crash only on request; in these, resizing cannot be switched off.
kubelet_gates=${gates//,/, }
[ "$minor" -gt 34 ] || kubelet_gates+="${kubelet_gates:+, }InPlacePodVerticalScaling=false"
kubelet_gates=${kubelet_gates//=/: }
