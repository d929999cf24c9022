package letters

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/layout"
)

// TestLettersFit wants names no wider than the layout takes them to be: then they are as large here as in SVG.
func TestLettersFit(t *testing.T) {
	const bolder = 1.12 // what the layout allows for bold
	for _, text := range []string{
		"down1.conv2", "model/layer_12/attention/self/query/BiasAdd:0",
		"StatefulPartitionedCall/MobilenetV2/expanded_conv_project",
		"36 buffers · height 83,681,280 · lower bound 83,681,280 (peak load)", "MiIllwWmM@%…",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789",
		"Δt_входной_ñandú", "≈ 79.8 MiB",
	} {
		if got, room := Width(text, false), layout.Width(text); got > room {
			t.Errorf("%q is %.2f wide, the table says %.2f", text, got, room)
		}
		if got, room := Width(text, true), bolder*layout.Width(text); got > room {
			t.Errorf("%q is %.2f wide in bold, the table says %.2f", text, got, room)
		}
	}
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"conv_1": "conv_1", "é·…≈Ж": "é·…≈Ж", "日x": "U+65E5x", "😀": "U+1F600", "": "",
	} {
		got := Readable(text)
		if got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
		if strings.ContainsFunc(got, lacks) {
			t.Errorf("%q has a letter that a font lacks", got)
		}
	}
}

// TestPlaced turns the anchors of texts into their beginnings, and shrinks what codes make too wide.
func TestPlaced(t *testing.T) {
	long := Width("model/layer", false) * 10
	for anchor, want := range map[layout.Anchor]float64{
		layout.Start: 100, layout.Middle: 100 - long/2, layout.End: 100 - long,
	} {
		got := Placed(layout.Text{X: 100, Y: 50, Text: "model/layer", Size: 10, Anchor: anchor}, false)
		if got.X != want || got.Y != 50 || got.Anchor != layout.Start {
			t.Errorf("anchor %d: begins at %v, %v, want %v, 50", anchor, got.X, got.Y, want)
		}
	}
	up := Placed(layout.Text{X: 100, Y: 50, Text: "model/layer", Size: 10, Anchor: layout.End, Upright: true}, false)
	if up.X != 100 || up.Y != 50+long {
		t.Errorf("upright: begins at %v, %v", up.X, up.Y)
	}
	code := Placed(layout.Text{Text: "日本", Size: 10}, false)
	room := 10 * layout.Width("日本")
	if code.Text != "U+65E5U+672C" || Width(code.Text, false)*code.Size > 1.0001*room {
		t.Errorf("%q at size %v is wider than %v", code.Text, code.Size, room)
	}
}
