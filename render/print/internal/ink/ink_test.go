package ink

import (
	"bytes"
	"encoding/hex"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"

	"github.com/stowage-go/stowage/render/internal/layout"
	"github.com/stowage-go/stowage/render/internal/sample"
	"github.com/stowage-go/stowage/render/svg"
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
		if got := Readable(text); got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
		for _, r := range Readable(text) {
			if Letter(r, false) == nil || Letter(r, true) == nil {
				t.Errorf("%q has %q, which a font lacks", Readable(text), r)
			}
		}
	}
	if g := Letter('M', false); len(g.Segments) == 0 || g.Segments[0].Op != sfnt.SegmentOpMoveTo {
		t.Error("M has no outline")
	}
}

// TestColours compares the colours, strokes and dashes with the style that each SVG has.
func TestColours(t *testing.T) {
	var file bytes.Buffer
	if err := svg.Write(&file, sample.Paper(), []int64{8, 8, 4, 4, 0}, svg.Options{}); err != nil {
		t.Fatal(err)
	}
	_, style, _ := strings.Cut(file.String(), "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	// value returns what the class has for a property; a class may be listed with others, and a later rule counts.
	value := func(class, property string) string {
		out := ""
		for _, rule := range regexp.MustCompile(`([^{}]+)\{([^}]*)\}`).FindAllStringSubmatch(style, -1) {
			for name := range strings.SplitSeq(strings.TrimSpace(rule[1]), ",") {
				if name != class {
					continue
				}
				for declaration := range strings.SplitSeq(rule[2], ";") {
					if key, v, _ := strings.Cut(declaration, ":"); key == property {
						out = v
					}
				}
			}
		}
		return out
	}
	number := func(class, property string, missing float64) float64 {
		v, err := strconv.ParseFloat(value(class, property), 64)
		if err != nil {
			return missing
		}
		return v
	}
	hexOf := func(c color.NRGBA) string { return "#" + hex.EncodeToString([]byte{c.R, c.G, c.B}) }
	same := func(class, property string, c color.NRGBA) {
		t.Helper()
		want := value(class, property)
		if len(want) == 4 {
			want = "#" + want[1:2] + want[1:2] + want[2:3] + want[2:3] + want[3:4] + want[3:4]
		}
		if hexOf(c) != strings.ToLower(want) {
			t.Errorf("%s of %s is %s, in SVG %q", property, class, hexOf(c), want)
		}
	}
	strength := func(class string, c color.NRGBA) {
		t.Helper()
		if want := number(class, "fill-opacity", 1); c.A != faint(c, want).A {
			t.Errorf("opacity of %s is %d, in SVG %v", class, c.A, want)
		}
	}
	for style, class := range map[layout.LineStyle]string{
		layout.GridLine: ".grid", layout.AxisLine: ".frame", layout.LeaderLine: ".leader",
		layout.CapacityLine: ".lc", layout.HeightLine: ".lh", layout.BoundLine: ".lb", layout.LoadLine: ".ll",
		layout.TogetherLine: ".lt", layout.ApartLine: ".la", layout.PenaltyLine: ".lp",
	} {
		ink := lines[style]
		same(class, "stroke", ink.Stroke)
		var dash []string
		for _, v := range ink.Dash {
			dash = append(dash, strconv.FormatFloat(v, 'f', -1, 64))
		}
		if ink.Width != number(class, "stroke-width", 1) || strings.Join(dash, " ") != value(class, "stroke-dasharray") {
			t.Errorf("the stroke of %s is %v %v, in SVG %s", class, ink.Width, dash, value(class, "stroke-dasharray"))
		}
	}
	for role, class := range map[layout.Role]string{
		layout.Title: ".title", layout.Alarm: ".alarm", layout.Fact: ".fact", layout.Note: ".note",
		layout.Axis: ".axis", layout.Label: ".label", layout.SubLabel: ".sub",
		layout.CapacityText: ".capacity", layout.HeightText: ".height", layout.BoundText: ".bound",
		layout.LoadText: ".load", layout.Tick: "text", layout.Value: "text",
	} {
		same(class, "fill", texts[role].colour)
		strength(class, texts[role].colour)
		if bold := value(class, "font-weight") == "bold"; bold != texts[role].bold {
			t.Errorf("%s is bold: %v, in SVG %v", class, texts[role].bold, bold)
		}
	}
	for class, ink := range map[string]Ink{
		".over": band, ".clash": clash, ".conflict": conflict, ".area": area, ".area-over": over, ".b": swatch,
	} {
		same(class, "fill", ink.Fill)
		strength(class, ink.Fill)
		if ink.Width > 0 {
			same(class, "stroke", ink.Stroke)
			if ink.Width != number(class, "stroke-width", 1) {
				t.Errorf("the stroke of %s is %v wide, in SVG %s", class, ink.Width, value(class, "stroke-width"))
			}
		}
	}
	if part.alpha != number(".part", "fill-opacity", 1) || faintFill != number(".faint", "fill-opacity", 1) ||
		strokes[layout.ThinStroke] != number(".thin", "stroke-width", 0) {
		t.Error("parts, what is mostly empty, or thin strokes differ from SVG's")
	}
}
