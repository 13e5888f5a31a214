package main

import (
	"context"
	"log"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/client/clientset/versioned"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/controllers"
	"sigs.k8s.io/kwok/pkg/utils/client"
	"sigs.k8s.io/kwok/pkg/utils/slices"
)

// simulateNodes runs KWOK's controllers: kwok KUBECONFIG SELECTOR STAGES..., where SELECTOR chooses the nodes by
// annotation, and STAGES are files. KWOK's own command also contains its server of logs and streams, which nothing
// here uses, and which Kubernetes of another version does not compile with.
func simulateNodes() {
	ctx := context.Background()
	objects, err := config.Load(ctx, os.Args[3:]...)
	check(err)
	clients, err := client.NewClientset("", os.Args[1])
	check(err)
	restConfig, err := clients.ToRESTConfig()
	check(err)
	dynamicClient, err := clients.ToDynamicClient()
	check(err)
	restMapper, err := clients.ToRESTMapper()
	check(err)
	restClient, err := rest.RESTClientFor(restConfig)
	check(err)
	id, err := controllers.Identity()
	check(err)
	options := config.GetKwokConfiguration(ctx).Options
	controller, err := controllers.NewController(controllers.Config{
		Clock:                             clock.RealClock{},
		DynamicClient:                     dynamicClient,
		RESTClient:                        restClient,
		RESTMapper:                        restMapper,
		ImpersonatingDynamicClient:        clients.ToImpersonatingDynamicClient(),
		ImpersonatingTypedClient:          clients.ToImpersonatingTypedClient(),
		TypedClient:                       kubernetes.NewForConfigOrDie(restConfig),
		TypedKwokClient:                   versioned.NewForConfigOrDie(restConfig),
		ManageNodesWithAnnotationSelector: os.Args[2],
		CIDR:                              options.CIDR,
		PodPlayStageParallelism:           options.PodPlayStageParallelism,
		NodePlayStageParallelism:          options.NodePlayStageParallelism,
		NodeLeaseDurationSeconds:          options.NodeLeaseDurationSeconds,
		NodeLeaseParallelism:              options.NodeLeaseParallelism,
		PodsOnNodeSyncParallelism:         options.PodsOnNodeSyncParallelism,
		EnablePodsOnNodeSyncListPager:     options.EnablePodsOnNodeSyncListPager,
		EnablePodsOnNodeSyncStreamWatch:   options.EnablePodsOnNodeSyncStreamWatch,
		ID:                                id,
		LocalStages: slices.GroupBy(config.FilterWithType[*internalversion.Stage](objects),
			func(stage *internalversion.Stage) internalversion.StageResourceRef { return stage.Spec.ResourceRef }),
	})
	check(err)
	check(controller.Start(ctx))
	<-ctx.Done()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
