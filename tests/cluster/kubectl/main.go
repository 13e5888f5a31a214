// kubectl is a program of its own, not a part of kube: tests call it thousands of times, and kube takes three times as
// long to start.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
