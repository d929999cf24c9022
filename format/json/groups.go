package json

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/model"
)

// Groups of pairs: {"pairs": [["a", "b"], …], "cost": 3, "paid": "if one shares"}.

// A gathered is an item of groups.
type gathered struct {
	at    int
	pairs []rule
	group model.Group // without its pairs
}

func (d *decoder) readGroup() {
	var g gathered
	d.peek()
	g.at = d.pos
	d.items["groups"] = append(d.items["groups"], g.at)
	d.object("groups", []string{"pairs", "cost", "paid"}, 2, func(key int) {
		switch key {
		case 0:
			d.list("groups.pairs", pairBytes, func() { g.pairs = append(g.pairs, d.pairOf("groups.pairs")) })
		case 1:
			g.group.Cost, _ = d.integer("groups.cost")
		case 2:
			d.peek()
			at, sound := d.pos, d.sound
			d.sound = true
			paid := d.str("groups.paid")
			when := slices.Index(model.Paid[:], paid)
			if d.sound && when < 0 {
				d.refuse(at, "groups.paid", paid, "must be one of: "+strings.Join(model.Paid[:], ", "))
			}
			g.group.SetWhen(when)
			d.sound = d.sound && sound
		}
	})
	d.groups = append(d.groups, g)
}

// resolveGroups looks up the names of groups.
func (d *decoder) resolveGroups(l *lookup) {
	for _, g := range d.groups {
		for _, x := range g.pairs {
			if x.whole {
				pair := model.Pair{l.of(x.at, "groups", x.pair[0]), l.of(x.at, "groups", x.pair[1])}
				g.group.Pairs = append(g.group.Pairs, pair)
			}
		}
		d.rules.Groups = append(d.rules.Groups, g.group)
	}
}

// groupBytes is the memory of a group, as it is read and as a rule.
const groupBytes = 2*int(unsafe.Sizeof(gathered{})) + 32

// groupsBelow writes the groups.
func (e *encoder) groupsBelow(r *model.Rules, pair func(model.Pair) *encoder) {
	e.items("groups", len(r.Groups), func(k int) {
		g := &r.Groups[k]
		e.str(`{"pairs": `).inline(len(g.Pairs), func(k int) { pair(g.Pairs[k]) }).str(`, "cost": `).int(g.Cost)
		if when := g.When(); when > 0 {
			e.str(`, "paid": "`).str(model.Paid[when]).str(`"`)
		}
		e.str("}")
	})
}
