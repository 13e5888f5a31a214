// hold FOLDER owns the namespaces of one test cluster: mounts, network and processes. It writes its process
// id to FOLDER/holder, opens a port on the machine's loopback and writes it to FOLDER/port. Then it starts
// itself again as the first process inside, with its id in FOLDER/inside. That process reaps orphans, and
// carries connections from the port to the API server inside. When either process ends, by whatever signal,
// the kernel ends all processes of the cluster.
package main

import (
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

const apiServer = "127.0.0.1:443"

func main() {
	if os.Getpid() == 1 {
		go reap()
		listener, err := net.FileListener(os.NewFile(3, "listener"))
		check(err)
		forward(listener)
		return
	}
	folder := os.Args[1]
	record(folder, "holder", os.Getpid()) // first, so that whatever follows can be found and ended
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	socket, err := listener.(*net.TCPListener).File()
	check(err)
	record(folder, "port", listener.Addr().(*net.TCPAddr).Port)
	runtime.LockOSThread() // Pdeathsig depends on the thread that started the child, not on the process
	inside := exec.Command("/proc/self/exe", folder)
	inside.ExtraFiles = []*os.File{socket}
	inside.Stderr = os.Stderr
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:   syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
		Unshareflags: syscall.CLONE_NEWNS, // Go then also makes all mounts private
		Pdeathsig:    syscall.SIGKILL,
	}
	check(inside.Start())
	record(folder, "inside", inside.Process.Pid)
	check(listener.Close())
	check(socket.Close())
	check(inside.Wait())
}

// record writes a number in a way that readers never see a part of it.
func record(folder, name string, number int) {
	path := filepath.Join(folder, name)
	check(os.WriteFile(path+".new", []byte(strconv.Itoa(number)+"\n"), 0o600))
	check(os.Rename(path+".new", path))
}

// reap waits for processes whose parents have ended; this process becomes their parent.
func reap() {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	for range children {
		for {
			if pid, _ := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 {
				break
			}
		}
	}
}

// forward accepts connections in the machine's network, where the socket was opened, and connects in the
// cluster's.
func forward(listener net.Listener) {
	for {
		outer, err := listener.Accept()
		check(err)
		go func() {
			defer outer.Close()
			inner, err := net.Dial("tcp", apiServer)
			if err != nil {
				return
			}
			defer inner.Close()
			upward := make(chan struct{})
			go func() { carry(inner, outer); close(upward) }()
			carry(outer, inner)
			<-upward
		}()
	}
}

// carry copies until `from` ends, and passes the end on. An error ends both directions.
func carry(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		from.Close()
		to.Close()
	}
	to.(*net.TCPConn).CloseWrite()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
