//go:build linux

// The receiver of bench/receiver-process.ts in another language and with an HTTP library of its own: the same questions and answers,
// a line of JSON each on standard input and output. Standard library only; bench/receivers.ts compiles it.
package main

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type behaviour struct {
	FailEvery   int     `json:"failEvery"`
	DelayMs     float64 `json:"delayMs"`
	HangingPath string  `json:"hangingPath"`
	HangMs      float64 `json:"hangMs"`
}

type pair struct{ Cert, Key string }

// Everything since a `begin`: a hanging answer may still belong to the one before.
type round struct {
	behaviour
	met                map[string]bool
	keys               []string
	at, late           []float64
	arrived            map[string]bool
	requests, failures int
	wallMs, cpuMs      float64
}

var (
	mutex   sync.Mutex
	current = newRound(behaviour{})
	// An answer like the service's to a publish, for the run that shows the limit of the load generator.
	message = `{"data":{"id":"msg_` + strings.Repeat("0", 26) + `","payload":{"text":"` + strings.Repeat("x", 1000) + `"}}}`
)

// CLOCK_MONOTONIC in ms, which is what process.hrtime of bench/clock.ts reads; Go's own clock tells differences only.
func nowMs() float64 {
	var now syscall.Timespec
	const monotonic = 1
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&now)), 0)
	return float64(now.Sec)*1e3 + float64(now.Nsec)/1e6
}

func cpuMs() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func newRound(next behaviour) *round {
	return &round{behaviour: next, met: map[string]bool{}, arrived: map[string]bool{}, keys: []string{}, at: []float64{},
		late: []float64{}, wallMs: nowMs(), cpuMs: cpuMs()}
}

// Answer to a request, and its delay in ms.
func judge(path, key string) (in *round, status int, delayMs float64) {
	mutex.Lock()
	defer mutex.Unlock()
	in = current
	in.requests++
	delayMs = in.DelayMs
	if path == in.HangingPath {
		delayMs = in.HangMs
	}
	if in.FailEvery > 0 && !in.met[key] {
		in.met[key] = true
		if len(in.met)%in.FailEvery == 0 {
			in.failures++
			return in, http.StatusInternalServerError, delayMs
		}
	}
	if !in.arrived[key] {
		in.arrived[key] = true
		in.keys, in.at = append(in.keys, key), append(in.at, nowMs())
	}
	return in, http.StatusOK, delayMs
}

func serve(response http.ResponseWriter, request *http.Request) {
	// A request counts when it is complete.
	_, _ = io.Copy(io.Discard, request.Body)
	path := request.URL.Path
	if strings.HasPrefix(path, "/v1/") {
		response.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(response, message)
		return
	}
	in, status, delayMs := judge(path, request.Header.Get("webhook-id")+" "+path)
	if delayMs > 0 {
		dueAt := nowMs() + delayMs
		time.Sleep(time.Duration(delayMs * float64(time.Millisecond)))
		late := nowMs() - dueAt
		mutex.Lock()
		in.late = append(in.late, late)
		mutex.Unlock()
	}
	response.WriteHeader(status)
	if status == http.StatusOK {
		_, _ = io.WriteString(response, "ok")
	}
}

func listen(count int, certificate *pair) ([]int, error) {
	ports := []int{}
	for len(ports) < count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
		if certificate != nil {
			both, err := tls.X509KeyPair([]byte(certificate.Cert), []byte(certificate.Key))
			if err != nil {
				return nil, err
			}
			listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{both}})
		}
		go func() { log.Fatal(http.Serve(listener, http.HandlerFunc(serve))) }()
	}
	return ports, nil
}

func answer(name string, input json.RawMessage) (any, error) {
	var given struct {
		behaviour
		Count int   `json:"count"`
		TLS   *pair `json:"tls"`
	}
	if len(input) > 0 {
		if err := json.Unmarshal(input, &given); err != nil {
			return nil, err
		}
	}
	if name == "listen" {
		return listen(given.Count, given.TLS)
	}
	mutex.Lock()
	defer mutex.Unlock()
	switch name {
	case "ready":
		return true, nil
	case "begin":
		current = newRound(given.behaviour)
		return nil, nil
	case "seen":
		busy := (cpuMs() - current.cpuMs) / (nowMs() - current.wallMs)
		return map[string]any{"arrived": len(current.keys), "requests": current.requests, "busy": busy}, nil
	case "arrivals":
		return map[string]any{"keys": current.keys, "at": current.at, "late": current.late,
			"requests": current.requests, "failures": current.failures}, nil
	}
	return nil, fmt.Errorf("has no command %s", name)
}

func main() {
	questions := bufio.NewReader(os.Stdin)
	for {
		line, err := questions.ReadBytes('\n')
		if err != nil {
			// The benchmark is gone: so are we.
			return
		}
		var question struct {
			ID    int             `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		}
		reply := map[string]any{}
		if err = json.Unmarshal(line, &question); err == nil {
			reply["output"], err = answer(question.Name, question.Input)
		}
		reply["id"] = question.ID
		if err != nil {
			reply["failure"] = err.Error()
		}
		text, _ := json.Marshal(reply)
		fmt.Println(string(text))
	}
}
