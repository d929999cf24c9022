// Package workflows has no code but its tests. They check what GitHub reads in .github: the
// workflows by actionlint, and that they and the issue forms agree with the project.
package workflows
