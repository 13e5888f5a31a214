// Prints the next starts that robfig/cron finds for random schedules, zones and times of the years 2010 to 2024, a half
// of them near a change of the clocks. A line is SCHEDULE, ZONE, TIME, NEXT, separated by tabs; times are Unix seconds,
// and NEXT is "-" if there is none in five years.
//
//	go mod init record && go get github.com/robfig/cron/v3@v3.0.1 && go run next.go 1000 >next-3.0.1.txt
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

// None of them leaves out midnight: there, robfig/cron skips a day, or starts on the wrong one.
var zones = strings.Fields("UTC Europe/Berlin Europe/London America/New_York Asia/Kolkata Asia/Kathmandu " +
	"Australia/Sydney Pacific/Auckland")

func number(low, high int) int { return low + rand.Intn(high-low+1) }

func part(low, high int, names string) string {
	switch rand.Intn(6) {
	case 0, 1:
		return "*"
	case 2:
		return fmt.Sprintf("*/%d", number(1, high))
	case 3:
		first := number(low, high)
		return fmt.Sprintf("%d-%d", first, number(first, high))
	case 4:
		if names != "" {
			words := strings.Fields(names)
			return words[rand.Intn(len(words))]
		}
		return fmt.Sprintf("%d/%d", number(low, high), number(1, high))
	}
	return fmt.Sprintf("%d,%d", number(low, high), number(low, high))
}

func schedule() string {
	hour := part(0, 23, "")
	if rand.Intn(3) == 0 {
		hour = strconv.Itoa(number(0, 3)) // the hours in which clocks change
	}
	days, months, weekdays := "*", "*", "*"
	if rand.Intn(3) == 0 {
		days = part(1, 31, "")
	}
	if rand.Intn(3) == 0 {
		months = part(1, 12, "jan feb MAR apr oct nov")
	}
	if rand.Intn(3) == 0 {
		weekdays = part(0, 6, "sun mon sat")
	}
	return strings.Join([]string{part(0, 59, ""), hour, days, months, weekdays}, " ")
}

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	begin, end := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < count; i++ {
		zone, err := time.LoadLocation(zones[rand.Intn(len(zones))])
		if err != nil {
			panic(err)
		}
		text := schedule()
		parsed, err := cron.ParseStandard(text)
		if err != nil {
			panic(err)
		}
		at := begin.Add(time.Duration(rand.Int63n(int64(end.Sub(begin))))).Truncate(time.Second)
		if _, change := at.In(zone).ZoneBounds(); i%2 == 0 && !change.IsZero() {
			at = change.Add(time.Duration(number(-7200*12, 7200)) * time.Second)
		}
		next := "-"
		if found := parsed.Next(at.In(zone)); !found.IsZero() {
			next = strconv.FormatInt(found.Unix(), 10)
		}
		fmt.Printf("%s\t%s\t%d\t%s\n", text, zone, at.Unix(), next)
	}
}
