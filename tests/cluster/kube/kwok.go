package main

import (
	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// simulateNodes is kwok's own main function, which its module offers only as a program.
func simulateNodes() {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsWhitelist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, logger := kwoklog.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err == nil {
		command := kwok.NewCommand(ctx)
		command.PersistentFlags().AddFlagSet(flags)
		err = command.ExecuteContext(ctx)
	}
	if err != nil {
		logger.Error("kwok", err)
		panic(err)
	}
}
