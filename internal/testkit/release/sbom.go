package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// Idea: Go binaries name the modules that were linked, with version and checksum; go.mod names all that may be. Go
// itself is added.

// bom is a bill of materials as CycloneDX 1.5 has it, as far as there is something to say.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (r *release) sbom() error {
	b := bom{Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: metadata{component{
		Type: "application", Name: "stowage", Version: r.version,
		PURL: "pkg:golang/github.com/stowage-go/stowage@v" + r.version,
	}}}
	for _, path := range r.binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		b.Components = append(b.Components, component{
			Type: "library", Name: "std", Version: info.GoVersion,
			PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		})
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "github.com/stowage-go/stowage") {
				continue
			}
			if m.Replace != nil {
				m = m.Replace
			}
			b.Components = append(b.Components, component{
				Type: "library", Name: m.Path, Version: m.Version,
				PURL:       "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B"),
				Properties: []property{{"go.sum", m.Sum}},
			})
		}
	}
	slices.SortFunc(b.Components, func(x, y component) int { return strings.Compare(x.PURL, y.PURL) })
	b.Components = slices.CompactFunc(b.Components, func(x, y component) bool { return x.PURL == y.PURL })
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.path("stowage-%s.cdx.json", r.version), append(data, '\n'), 0o644)
}
