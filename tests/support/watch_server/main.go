// An HTTP/2 server of watches, for the tests of HTTP/2, which the servers of the other tests do not support.
// Like an API server, it allows 100 streams on each connection.
//
// 	GET  other paths a line at once, then one for each event, until the client leaves
// 	POST /event      sends an event to all watches
// 	GET  /count      "connections watches"
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	connections, watches atomic.Int64
	mutex                sync.Mutex
	next                 = make(chan struct{}) // closed by the next event
)

func event() {
	mutex.Lock()
	defer mutex.Unlock()
	close(next)
	next = make(chan struct{})
}

func upcoming() chan struct{} {
	mutex.Lock()
	defer mutex.Unlock()
	return next
}

func watch(answer http.ResponseWriter, request *http.Request) {
	line := []byte(`{"type":"MODIFIED","object":{"filler":"` + strings.Repeat("x", 1000) + "\"}}\n")
	watches.Add(1)
	defer watches.Add(-1)
	for {
		wake := upcoming()
		answer.Write(line)
		answer.(http.Flusher).Flush()
		select {
		case <-wake:
		case <-request.Context().Done():
			return
		}
	}
}

func main() {
	http.HandleFunc("POST /event", func(http.ResponseWriter, *http.Request) { event() })
	http.HandleFunc("GET /count", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(answer, connections.Load(), " ", watches.Load())
	})
	http.HandleFunc("GET /", watch)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := http.Server{
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 100},
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		},
	}
	log.Fatal(server.ServeTLS(listener, os.Args[1], os.Args[2]))
}
