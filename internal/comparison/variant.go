package comparison

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a planner with options is one more planner to compare. Its name has the options as `stowage solve` has them:
//
//	exact --without fronts,learning
//	tela --set strategy=size --set candidates=6
//
// So all that goes by a planner's name, such as rows, keys and files of runs, holds it.

// Variant returns the planner that a name stands for, and its options.
func Variant(name string) (planner string, o plan.Options, err error) {
	words := strings.Fields(name)
	if len(words)%2 == 0 || strings.Join(words, " ") != name {
		return name, o, fmt.Errorf("%q is no planner with options: want NAME --without T1,T2 --set KEY=VALUE, one "+
			"space between words", name)
	}
	for k := 1; k < len(words); k += 2 {
		switch key, value, ok := strings.Cut(words[k+1], "="); {
		case words[k] == "--without":
			o.Without = append(o.Without, strings.Split(words[k+1], ",")...)
		case words[k] == "--set" && ok:
			if o.Params == nil {
				o.Params = map[string]string{}
			}
			o.Params[key] = value
		default:
			return name, o, fmt.Errorf("%q has %s %s: want --without T1,T2 or --set KEY=VALUE", name, words[k], words[k+1])
		}
	}
	return words[0], o, nil
}
