// Loads a Compose file with the Compose project's own parser, as `docker compose config` does, and prints the result as
// JSON. The environment is that of this process, without a file `.env`.
//
//	go run . FILE [PROFILE…]
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := load(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func load(file string, profiles []string) error {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithName("lightbox"), cli.WithProfiles(profiles))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	json, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(json)
	return err
}
