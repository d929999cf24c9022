// Package suggest says what a misspelt name may have been meant to be.
package suggest

import (
	"slices"
	"strconv"
	"strings"
)

// Idea: if a command, a flag, a planner or a format is misspelt, the message says which name may have been meant. The
// distance is that of Damerau and Levenshtein: letters added, lost, changed, or two neighbours swapped.
//
// Complexity: the product of the two lengths for each candidate.

// Nearest returns at most four candidates that may have been meant by name. They are the candidates with the least
// distance, at most one edit for every three letters, or those that begin with name.
func Nearest(name string, candidates []string) []string {
	name = strings.ToLower(name)
	best := max(1, len(name)/3)
	var near, begun []string
	for _, c := range candidates {
		if len(name) >= 2 && strings.HasPrefix(c, name) {
			begun = append(begun, c)
		}
		switch d := distance(name, strings.ToLower(c)); {
		case d < best:
			best, near = d, []string{c}
		case d == best:
			near = append(near, c)
		}
	}
	if len(near) == 0 {
		near = begun
	}
	const most = 4
	return near[:min(len(near), most)]
}

// distance counts the edits between two words.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int // the row before the last
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			row[j+1] = min(last[j+1], row[j]) + 1
			changed := last[j]
			if x[i] != y[j] {
				changed++
			}
			row[j+1] = min(row[j+1], changed)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}

// Question returns the question that follows a misspelt name, empty if nothing is near.
func Question(name string, candidates []string) string {
	near := Nearest(name, candidates)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// Most is how many names a message lists if some command lists them all. MostAlone is how many if no command does.
const (
	Most      = 7
	MostAlone = 14
)

// OneOf returns Question, followed by the known names: all of them, or the nearest if there are too many. where is the
// command that lists all of them; it may be empty.
func OneOf(name string, all []string, where string) string {
	there := "; the choices are "
	if hint := Question(name, all); hint != "" {
		there = hint + " The choices are "
	}
	return there + Listed(name, all, where)
}

// Listed lists names. If there are too many, it lists Most of them, the names nearest to name first, and says how many
// there are and which command lists them all. Too many means more than Most if where names a command, else more than
// MostAlone.
func Listed(name string, all []string, where string) string {
	if len(all) <= Most || where == "" && len(all) <= MostAlone {
		return strings.Join(all, ", ")
	}
	near := Nearest(name, all)
	rest := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return slices.Contains(near, c) })
	if lower := strings.ToLower(name); len(near) > 0 {
		slices.SortStableFunc(rest, func(a, b string) int {
			return distance(lower, strings.ToLower(a)) - distance(lower, strings.ToLower(b))
		})
	}
	text := strings.Join(append(near, rest...)[:Most], ", ") + ", … "
	if where == "" {
		return text + "(" + strconv.Itoa(len(all)) + " in all)"
	}
	return text + "('" + where + "' lists all " + strconv.Itoa(len(all)) + ")"
}
