package main
import ("testing";"io")
func BenchmarkHosted(b *testing.B){ for b.Loop(){ var c hosted;  k,_,err:=parseInto(&c,[]string{"--mode","rpc"},io.Discard); _ = k; if err!=nil{b.Fatal(err)} } }
func BenchmarkCli(b *testing.B){ for b.Loop(){ var c cli;  k,_,err:=parseInto(&c,[]string{"--mode","rpc"},io.Discard); _ = k; if err!=nil{b.Fatal(err)} } }
