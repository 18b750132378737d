// Reads docker-compose.yml of the working folder with its .env, as Docker Compose does, and writes the services as JSON.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(nil, cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv, cli.WithDefaultConfigPath)
	if err != nil {
		panic(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(project); err != nil {
		panic(err)
	}
}
