package config

import "github.com/mcpctl/mcpctl/pkg/probe"

// FromCommand is the ad-hoc stdio server that argv names, run in the current folder.
func FromCommand(argv []string) (probe.Server, error) { return probe.Server{}, nil }

// FromURL is the ad-hoc HTTP server at raw, named after its host. User info becomes an Authorization header.
func FromURL(raw string) (probe.Server, error) { return probe.Server{}, nil }

// ParseHeaders reads "Name: value" flags.
func ParseHeaders(flags []string) (map[string]probe.Secret, error) { return nil, nil }

// ParseEnv reads "NAME=value" flags.
func ParseEnv(flags []string) (map[string]probe.Secret, error) { return nil, nil }
