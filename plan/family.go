package plan

import "github.com/stowage-go/stowage/model"

// A FamilyResult is the outcome of a run on a family: the plan of the largest sizes, and an order for all sizes.
type FamilyResult struct {
	// Result is the outcome at the largest sizes. Its offsets follow from Order.
	Result
	// Order gives offsets for any sizes, and is nowhere above the plan of the largest sizes; nil if there is no plan.
	Order *model.Order
	// Points has heights and loads: of all points, or, of many, of some.
	Points []model.Point
	// Worst is the largest excess of a height over its load, as a share of the load, of the points that were looked at.
	Worst float64
	// WorstAt is the point that has it.
	WorstAt int64
	// Looked is how many points were looked at: all, or, of more than model.MostPoints, some.
	Looked int64
	// Exact says that no order that is as low at the largest sizes has a smaller Worst.
	Exact bool
	// Switched has several orders that are lower together than Order alone; nil if they were not asked for or not
	// found.
	Switched *model.Switched
}
