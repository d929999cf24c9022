package learn

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/planners/tela"
)

// Idea: an XGBoost model is a list of binary trees whose leaves are summed. On
// loading, each tree is laid out breadth first in one array for all of them,
// with the two children side by side: a step is a comparison and an addition.
//
// Arithmetic is float32, in the order of the trees, as XGBoost does it.
//
// Complexity: trees × depth a target, without allocation.
//
// Source: XGBoost's JSON schema (versions 1.7 to 3.2 were read).

// A Forest scores targets. It is safe for concurrent use.
type Forest struct {
	base  float32
	roots []int32 // of each tree
	nodes []treeNode
}

// A treeNode goes to child where the feature is under the threshold, else to
// child+1. Of a leaf, feature is -1 and threshold its value.
type treeNode struct {
	threshold float32
	child     int32
	feature   int16
}

// Trees returns the number of trees.
func (f *Forest) Trees() int { return len(f.roots) }

// Score returns the value that the forest gives to the features.
func (f *Forest) Score(x *tela.Features) float32 {
	sum := f.base
	nodes := f.nodes
	for _, at := range f.roots {
		n := &nodes[at]
		for n.feature >= 0 {
			at = n.child
			if !(x[n.feature] < n.threshold) {
				at++
			}
			n = &nodes[at]
		}
		sum += n.threshold
	}
	return sum
}

// xgbTree is a tree as XGBoost writes it; a node without children has -1 as its
// left child, and its value in SplitConditions.
type xgbTree struct {
	LeftChildren    []int32   `json:"left_children"`
	RightChildren   []int32   `json:"right_children"`
	SplitIndices    []int32   `json:"split_indices"`
	SplitConditions []float32 `json:"split_conditions"`
}

type xgbModel struct {
	Learner struct {
		ModelParam struct {
			BaseScore  string `json:"base_score"`
			NumFeature string `json:"num_feature"`
		} `json:"learner_model_param"`
		Objective struct {
			Name string `json:"name"`
		} `json:"objective"`
		Booster struct {
			Name  string `json:"name"`
			Model struct {
				Trees []xgbTree `json:"trees"`
			} `json:"model"`
		} `json:"gradient_booster"`
	} `json:"learner"`
}

// ReadForest reads a model that XGBoost has saved as JSON, gzipped or not. The
// error says what about it is not a regression forest over tela's features.
func ReadForest(r io.Reader) (*Forest, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		unzip, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(unzip); err != nil {
			return nil, err
		}
	}
	var m xgbModel
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("not a model that XGBoost saved as JSON: %w", err)
	}
	l := &m.Learner
	if l.Booster.Name != "gbtree" || l.Objective.Name != "reg:squarederror" {
		return nil, fmt.Errorf("the model is %q for %q, not gbtree for reg:squarederror", l.Booster.Name, l.Objective.Name)
	}
	if l.ModelParam.NumFeature != strconv.Itoa(tela.NumFeatures) {
		return nil, fmt.Errorf("the model has %s features, not %d", l.ModelParam.NumFeature, tela.NumFeatures)
	}
	// Version 3 writes base_score as a list of one.
	base, err := strconv.ParseFloat(strings.Trim(l.ModelParam.BaseScore, "[]"), 32)
	if err != nil {
		return nil, fmt.Errorf("base_score %q is not a number", l.ModelParam.BaseScore)
	}
	f := &Forest{base: float32(base)}
	for k := range l.Booster.Model.Trees {
		if err := f.add(&l.Booster.Model.Trees[k]); err != nil {
			return nil, fmt.Errorf("tree %d: %w", k, err)
		}
	}
	if len(f.roots) == 0 {
		return nil, errors.New("the model has no trees")
	}
	return f, nil
}

// add lays out a tree.
func (f *Forest) add(t *xgbTree) error {
	n := len(t.LeftChildren)
	if n == 0 || len(t.RightChildren) != n || len(t.SplitIndices) != n || len(t.SplitConditions) != n {
		return errors.New("its arrays differ in length or are empty")
	}
	first := len(f.nodes)
	f.roots = append(f.roots, int32(first))
	f.nodes = append(f.nodes, treeNode{})
	queue := []int32{0} // XGBoost's nodes in the order of ours
	for k := 0; k < len(queue); k++ {
		from, to := queue[k], &f.nodes[first+k]
		if t.LeftChildren[from] < 0 {
			to.threshold, to.feature = t.SplitConditions[from], -1
			continue
		}
		left, right, feature := t.LeftChildren[from], t.RightChildren[from], t.SplitIndices[from]
		if left >= int32(n) || right < 0 || right >= int32(n) || len(queue)+2 > n || feature < 0 || feature >= tela.NumFeatures {
			return fmt.Errorf("node %d has children or a feature that do not exist", from)
		}
		to.threshold, to.feature, to.child = t.SplitConditions[from], int16(feature), int32(first+len(queue))
		queue = append(queue, left, right)
		f.nodes = append(f.nodes, treeNode{}, treeNode{})
	}
	for _, node := range f.nodes[first:] {
		if math.IsNaN(float64(node.threshold)) {
			return errors.New("a threshold is not a number")
		}
	}
	return nil
}
