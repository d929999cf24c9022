package main

func Example() {
	main()
	// Output: fits in 1452
}
