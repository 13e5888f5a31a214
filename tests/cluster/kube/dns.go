package main

import (
	"log"
	"os"

	"github.com/coredns/caddy"
	_ "github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

// serveNames runs CoreDNS with the three plugins that a cluster without external names needs: `dns COREFILE`.
func serveNames() {
	contents, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server, err := caddy.Start(caddy.CaddyfileInput{Contents: contents, Filepath: os.Args[1], ServerTypeName: "dns"})
	if err != nil {
		log.Fatal(err)
	}
	server.Wait()
}
